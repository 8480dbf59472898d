import { parseJsonObject, textField } from '../util/json.js';
import type { PlacedIdentity } from './host.js';

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
