/**
 * Points in time for users, in every language: the host documents no `Intl`.
 * @packageDocumentation
 */

import type { Translations } from './i18n/translations.js';

/** Date and time on this computer, to the minute: `2026-11-22 13:05`. @param milliseconds  wall-clock time */
function localTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** The time of a point today, `13:05`; the date of any other. @param now  wall-clock time in milliseconds */
export function shortTime(
  strings: Pick<Translations, 'date'>,
  milliseconds: number,
  now: number,
): string {
  const [day = '', time = ''] = localTime(milliseconds).split(' ');
  return localTime(now).startsWith(day) ? time : strings.date(milliseconds);
}

/**
 * Date and time with seconds and the offset from UTC: `2026-11-22 13:05:09 +01:00`.
 * @param milliseconds  wall-clock time
 */
export function exactTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  const text = localTime(milliseconds);
  if (text === '') {
    return text;
  }
  const offset = -date.getTimezoneOffset();
  const distance = Math.abs(offset);
  const zone = `${twoDigits(Math.floor(distance / 60))}:${twoDigits(distance % 60)}`;
  return `${text}:${twoDigits(date.getSeconds())} ${offset < 0 ? '-' : '+'}${zone}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
