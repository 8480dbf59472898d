/**
 * What the names of two files have in common that a person takes for one name: not the ending, not the case, and not
 * the form in which macOS writes a letter with a mark. The service compares names of one document in the same way.
 */
export function nameStem(name: string): string {
  return name
    .normalize('NFC')
    .replace(/(.)\.[A-Za-z0-9]{1,8}$/, '$1')
    .toLowerCase();
}
