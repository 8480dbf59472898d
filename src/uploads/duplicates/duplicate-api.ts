import type { RequestQueue } from '../../api/request-queue.js';
import type { CancelSignal } from '../../util/cancel.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { encodeUtf8 } from '../../util/utf8.js';

/** A file in the request. */
export interface FileRef {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** A finished upload that the service holds for the connected account. */
export interface KnownUpload extends FileRef {
  /** SHA-256 of what the service holds, in lower-case hex. */
  readonly sha256: string;
  /** The plugin's own id of the photo that was uploaded; null when the upload came another way. */
  readonly clientUploadId: string | null;
}

/** The service takes 1,000 files in one question, but the plugin reads at most 64 KiB of an answer. */
const MAX_ANSWER_BYTES = 60_000;
/** Bytes that an entry of the answer takes besides its name. */
const ENTRY_BYTES = 220;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * How many files, from the first on, one question may be about so that its answer can be read if it has one entry for
 * each of them. At least 1, if there are any.
 * @param most  never more than this
 */
export function batchSize(files: readonly FileRef[], most: number): number {
  let bytes = 0;
  const end = files.slice(0, most).findIndex(({ name }) => {
    bytes += encodeUtf8(JSON.stringify(name)).length + ENTRY_BYTES;
    return bytes > MAX_ANSWER_BYTES;
  });
  return end < 0 ? Math.min(files.length, most) : Math.max(1, end);
}

/**
 * Requests which of these files the service already holds: `POST /api/v1/uploads/known` (docs/http-api.md). One
 * attempt.
 * @param endpoint  address of the upload collection
 * @returns null for a malformed answer
 * @throws {CwError} when there is no answer, or a refusal
 * @throws {CancelledError}
 */
export async function findKnownUploads(
  queue: Pick<RequestQueue, 'send'>,
  endpoint: string,
  files: readonly FileRef[],
  signal: CancelSignal,
): Promise<readonly KnownUpload[] | null> {
  const asked = files.map(({ name, size }) => ({ name, size }));
  const { text } = await queue.send(
    {
      method: 'POST',
      url: `${endpoint}/known`,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({ files: asked }),
      repeatable: false,
      isAnswer: ({ text }) => parseJsonObject(text) !== null,
    },
    signal,
  );
  return readKnownUploads(text);
}

function readKnownUploads(text: string): readonly KnownUpload[] | null {
  const known: unknown = parseJsonObject(text)?.['known'];
  if (!Array.isArray(known)) {
    return null;
  }
  const found = known.flatMap((entry: unknown) => readKnownUpload(entry) ?? []);
  return found.length === known.length ? found : null;
}

function readKnownUpload(entry: unknown): KnownUpload | null {
  if (!isJsonObject(entry)) {
    return null;
  }
  const name = textField(entry, 'name');
  const size = numberField(entry, 'size');
  const sha256 = textField(entry, 'sha256');
  if (name === null || size === null || sha256 === null || !SHA256.test(sha256)) {
    return null;
  }
  return { name, size, sha256, clientUploadId: textField(entry, 'client_upload_id') };
}
