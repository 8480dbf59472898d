import type { FileLength } from '../host/photo-source.js';
import type { Translations } from './i18n/translations.js';

/** How much a file contains, for users: `24 pages`, `1:32`, `1:02:03`. */
export function lengthText(strings: Translations, length: FileLength): string {
  return length.kind === 'pages'
    ? strings.count('pageCount', length.pages)
    : durationText(length.seconds);
}

/** Rounded, and at least one second: no video is shown as empty. */
function durationText(duration: number): string {
  const all = Math.max(1, Math.round(duration));
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
