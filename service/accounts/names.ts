/**
 * What is wrong with a name that people will read on pages and command lines, as the end of a sentence
 * that begins with "a name" ("must not be empty"), or nothing.
 * @param max greatest length, in UTF-16 units.
 */
export function nameProblem(name: string, max: number): string | undefined {
  if (name.trim() === '') return 'must not be empty';
  if (name.length > max) return `must have at most ${max} characters`;
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? 'must not hold control characters' : undefined;
}
