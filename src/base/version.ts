/** Whether `version` is older than `least`, number by number, such as 8.3.1 than 8.4. What is no version is not. */
export function isOlder(version: string, least: string): boolean {
  if (!/^\d+(\.\d+)*/.test(version)) {
    return false;
  }
  const [mine, theirs] = [version, least].map((text) =>
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
