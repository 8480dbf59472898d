/**
 * Common code of the exporters of all apps.
 * @packageDocumentation
 */

import { CancelledError } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { DocumentFormat } from '../document-export.js';
import { isDiskFull } from './data-folder.js';
import { type FileEntry, type FolderEntry, isFileEntry } from './files.js';

/** Milliseconds until an export counts as never ending. Large documents take minutes. */
export const MAX_EXPORT_MS = 10 * 60_000;

/** Milliseconds that a picture of an export may take. */
export const MAX_PICTURE_MS = 20_000;

/** Longer side of a picture of an export, in pixels. */
export const PICTURE_PIXELS = 960;

/**
 * The result of the app's own work. Apps may never return, so the wait ends after a limit.
 * @throws {Error} when it takes longer
 */
export function withinLimit<T>(
  clock: Clock,
  work: Promise<T>,
  limitMs = MAX_EXPORT_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.startTimer(limitMs, () => {
      reject(new Error('the app did not return'));
    });
    work.then(resolve, reject).finally(stopTimer);
  });
}

/**
 * The error to throw for a failed export: CW-703 when the disk is full, else CW-805. Errors with a code keep it, and a
 * cancellation is no failure.
 */
export function exportError(cause: unknown): CwError | CancelledError {
  if (cause instanceof CwError || cause instanceof CancelledError) {
    return cause;
  }
  return isDiskFull(cause)
    ? new CwError('CW-703', 'no space left for an export', { cause })
    : new CwError('CW-805', 'the app did not export', { cause });
}

/** The error (CW-804) for a format that is not among the exporter's `offers`. */
export function notOffered(format: DocumentFormat): CwError {
  return new CwError('CW-804', `this app exports no ${format}`);
}

/**
 * The identity of a part of a document, so that pages and frames do not count as versions of each other: `ID#part`.
 * Null for a document without an identity, and for an identity that would be too long.
 */
export function identityOfPart(documentId: string | null, part: string): string | null {
  const identity = `${documentId ?? ''}#${part}`;
  return documentId === null || identity.length > 200 ? null : identity;
}

/** A document's name with the ending of the format: `Coast.psd` as JPEG is `Coast.jpg`. */
export function fileNameWith(documentName: string, format: DocumentFormat): string {
  const base = documentName.replace(
    /\.(psd|psb|jpe?g|png|tiff?|gif|bmp|webp|heic|dng|pdf|indd|indt|idml)$/i,
    '',
  );
  return `${base || 'document'}.${format}`;
}

/**
 * The one file that an app has written into `folder`, and its size in bytes; null while there is none. Its name does
 * not matter: some apps add a number or a second ending to the name they were given.
 * @throws {Error} when there are several
 */
export async function writtenFile(
  folder: FolderEntry,
): Promise<{ readonly file: FileEntry; readonly size: number } | null> {
  const written: { readonly file: FileEntry; readonly size: number }[] = [];
  for (const file of (await folder.getEntries()).filter(isFileEntry)) {
    const { size } = await file.getMetadata();
    // An empty file may be the entry that was created for the app to write to.
    if (size > 0) {
      written.push({ file, size });
    }
  }
  if (written.length > 1) {
    throw new Error(`the app wrote ${written.length} files instead of one`);
  }
  return written[0] ?? null;
}
