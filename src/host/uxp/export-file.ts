/**
 * What the exporters of all apps have in common.
 * @packageDocumentation
 */

import { CwError } from '../../base/errors.js';
import type { DocumentFormat } from '../host.js';
import { isDiskFull } from './data-folder.js';
import { isUxpFile, type UxpFile, type UxpFolder } from './modules.js';

/** Turns what an export failed with into the error for the person: CW-703 when the disk is full, else CW-805. */
export function exportError(cause: unknown): CwError {
  if (cause instanceof CwError) {
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
  folder: UxpFolder,
): Promise<{ readonly file: UxpFile; readonly size: number } | null> {
  const written: { readonly file: UxpFile; readonly size: number }[] = [];
  for (const file of (await folder.getEntries()).filter(isUxpFile)) {
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
