/**
 * When a day begins, in UTC.
 * @param day as `YYYY-MM-DD`, from 2000 to 2099
 * @returns undefined for anything else, and for a day that no month has
 */
export function startOfDay(day: string): Date | undefined {
  const start = new Date(`${day}T00:00:00Z`);
  // The 30th of February would be read as the 2nd of March.
  const isDay = /^20\d\d-\d\d-\d\d$/.test(day) && !Number.isNaN(start.getTime());
  return isDay && start.toISOString().startsWith(day) ? start : undefined;
}
