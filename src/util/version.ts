/**
 * Whether `version` is older than `least`, compared number by number: 8.3.1 is older than 8.4. UXP writes its own
 * version as `uxp-8.3.1`. A text that is no version counts as not older.
 */
export function isOlder(version: string, least: string): boolean {
  const numbers = version.replace(/^uxp-/, '');
  if (!/^\d+(\.\d+)*/.test(numbers)) {
    return false;
  }
  const [mine, theirs] = [numbers, least].map((text) =>
    text.split('.').map((part) => parseInt(part, 10)),
  );
  const length = Math.max(mine?.length ?? 0, theirs?.length ?? 0);
  for (let index = 0; index < length; index += 1) {
    const difference = (mine?.[index] ?? 0) - (theirs?.[index] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}
