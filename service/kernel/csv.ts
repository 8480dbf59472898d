/**
 * A cell of CSV ([RFC 4180](https://www.rfc-editor.org/rfc/rfc4180)). A spreadsheet takes some first characters for a formula:
 * an apostrophe before them makes it text.
 */
export function csvCell(text: string): string {
  const safe = /^[\s]*[=+\-@\t\r|%]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Rows of CSV in CRLF lines. */
export function csvRows(rows: readonly (readonly string[])[]): string {
  return `${rows.map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}
