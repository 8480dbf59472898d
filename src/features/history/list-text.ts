import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import type { UploadedPhoto } from './upload-history.js';
import { lengthText } from '../../ui/file-length.js';
import { exactTime } from '../../ui/local-time.js';
import type { Translations } from '../../ui/i18n/translations.js';

/** Longer names are cut; names of files are never that long. UTF-16 code units. */
const MAX_NAME_LENGTH = 1000;

/**
 * The uploaded photos as plain text to keep or to send on: names, times, sizes, digests, and the meaning of "checked".
 * Each name is a separate line, so that no name can imitate another line.
 * @param now  wall-clock time in milliseconds
 */
export function receiptText(
  strings: Translations,
  photos: readonly UploadedPhoto[],
  now: number,
): string {
  const lines = [
    `${strings.receiptTitle}: ${strings.count('receiptCount', photos.length)}, ${exactTime(now)}`,
  ];
  if (photos.some(({ hasMatchingCrc }) => hasMatchingCrc)) {
    lines.push(strings.receiptChecked);
  }
  if (photos.some(({ sha256 }) => sha256 !== null)) {
    lines.push(strings.receiptDigest);
  }
  return `${[...lines, ...photos.flatMap((photo) => entryLines(strings, photo))].join('\n')}\n`;
}

function entryLines(strings: Translations, photo: UploadedPhoto): readonly string[] {
  const { name, at, size, length, workspace, hasMatchingCrc, sha256, pageUrl } = photo;
  const facts = [
    exactTime(at),
    ...(length ? [lengthText(strings, length)] : []),
    `${strings.number(size)} B`,
    ...(workspace === null ? [] : [plain(workspace)]),
    hasMatchingCrc ? strings.checked : strings.photoUploaded,
  ];
  return [
    '',
    plain(name),
    `  ${facts.join(' · ')}`,
    ...(sha256 === null ? [] : [`  SHA-256 ${sha256}`]),
    ...(pageUrl === null ? [] : [`  ${pageUrl}`]),
  ];
}

function plain(name: string): string {
  return sanitizeDisplayName(name.slice(0, MAX_NAME_LENGTH), MAX_NAME_LENGTH) ?? '?';
}
