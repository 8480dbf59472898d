/** A text of which nobody says how it is encoded: UTF-8, or else Windows-1252, as most programs wrote it. */
export function decodedText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
