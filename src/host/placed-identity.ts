import { parseJsonObject, textField } from '../util/json.js';
import type { DownloadedFile } from './downloads.js';
import type { PlacedIdentity } from './placed-files.js';

/** Longer texts are none of {@link writeFileIdentity}: names have 255 characters at most. */
const MAX_LENGTH = 1000;

/**
 * The identity of a link with the name of its file, as a text that a document keeps. Users can give the link another file
 * without it, and so can undoing the step that wrote it.
 */
export function writeFileIdentity(
  { name }: Pick<DownloadedFile, 'name'>,
  identity: PlacedIdentity,
): string {
  return JSON.stringify({ name, file: JSON.parse(writeIdentity(identity)) as unknown });
}

/**
 * The identity in a text of a document, which anybody may have written; null when it is about another file.
 * @param name  of the file that the link shows
 */
export function readFileIdentity(text: unknown, name: string): PlacedIdentity | null {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) {
    return null;
  }
  const { name: about, file } = parseJsonObject(text) ?? {};
  return typeof about === 'string' && about.normalize() === name.normalize()
    ? readIdentity(JSON.stringify(file ?? null))
    : null;
}

/** The identity as a text that a document keeps: ASCII, fewer than 400 bytes. */
export function writeIdentity({ origin, uploadId, sha256, size }: PlacedIdentity): string {
  return JSON.stringify({ origin, upload: uploadId, sha256, size });
}

/** The identity in a text of a document, which anybody may have written; null when it is none. */
export function readIdentity(text: unknown): PlacedIdentity | null {
  if (typeof text !== 'string' || text.length >= 400) {
    return null;
  }
  const body = parseJsonObject(text) ?? {};
  const [origin, uploadId, sha256, size] = ['origin', 'upload', 'sha256', 'size'].map((name) =>
    textField(body, name),
  );
  return origin &&
    /^https?:\/\/[\w.:[\]-]{1,200}$/.test(origin) &&
    uploadId &&
    /^[\w-]{1,64}$/.test(uploadId) &&
    sha256 &&
    /^[\da-f]{64}$/.test(sha256) &&
    (size === 'original' || size === 'web')
    ? { origin, uploadId, sha256, size }
    : null;
}
