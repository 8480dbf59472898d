import type { Language } from './language.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

type DateFormat = (year: number, month: number, day: number) => string;

const dayFirst =
  (separator: string): DateFormat =>
  (year, month, day) =>
    [twoDigits(day), twoDigits(month), year].join(separator);

/** How a language writes dates. The host documents no `Intl`. */
export const DATE_FORMATS: Readonly<Record<Language, DateFormat>> = {
  // With its name, the month is clear wherever English is read.
  en: (year, month, day) => `${MONTHS[month - 1]} ${day}, ${year}`,
  de: dayFirst('.'),
  es: dayFirst('/'),
  fr: dayFirst('/'),
  ja: (year, month, day) => `${year}/${twoDigits(month)}/${twoDigits(day)}`,
  'pt-BR': dayFirst('/'),
};

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
