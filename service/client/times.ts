/** Writes the times of a page in the time zone of the reader, in the language of the page. */
export function showLocalTimes(root: ParentNode = document, now = new Date()): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-style]')) {
    const time = new Date(element.dateTime);
    if (!Number.isNaN(time.getTime())) {
      const write = element.dataset['style'] === 'day' ? localDay : localTime;
      const words = write(time, now, document.documentElement.lang);
      element.textContent = beginsLine(element) ? capitalized(words) : words;
      element.title = new Intl.DateTimeFormat(document.documentElement.lang, {
        dateStyle: 'full',
        timeStyle: 'long',
      }).format(time);
      element.removeAttribute('data-style');
    }
  }
}

/** Such as "today 14:05", "yesterday 14:05", and the date of other days. */
export function localTime(time: Date, now: Date, language: string): string {
  const clock = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(time);
  const days = daysBetween(time, now);
  if (days === 0 || days === -1) {
    const day = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(days, 'day');
    return `${day} ${clock}`;
  }
  const form = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const;
  return new Intl.DateTimeFormat(language, form).format(time);
}

/** The day of a time, with its year unless that is the present one; until the next day, its time as well. */
export function localDay(time: Date, now: Date, language: string): string {
  return new Intl.DateTimeFormat(language, {
    ...(time.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    ...(daysBetween(time, now) <= 1 && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  }).format(time);
}

/** How many calendar days a time is after another one. */
function daysBetween(time: Date, now: Date): number {
  const midnight = (date: Date): number =>
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (midnight(time) - midnight(now)) / 86_400_000;
}

function beginsLine(element: Element): boolean {
  return (element.previousSibling?.textContent ?? '').trim() === '';
}

function capitalized(words: string): string {
  const [first = '', ...rest] = words;
  return first.toLocaleUpperCase(document.documentElement.lang) + rest.join('');
}
