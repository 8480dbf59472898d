/**
 * The time at which a day begins, in UTC.
 * @param day `YYYY-MM-DD`, from 2000 to 2099.
 * @returns undefined for any other text, and for a day that does not exist.
 */
export function parseDay(day: string): Date | undefined {
  const start = new Date(`${day}T00:00:00Z`);
  // `Date` takes the 30th of February for a day in March.
  const isDay = /^20\d\d-\d\d-\d\d$/.test(day) && !Number.isNaN(start.getTime());
  return isDay && start.toISOString().startsWith(day) ? start : undefined;
}
