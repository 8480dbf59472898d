import type { RequestQueue } from '../../api/request-queue.js';
import type { CancelSignal } from '../../util/cancel.js';
import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import { isServiceId, readProjectRef, readTime, type ProjectRef } from '../../api/project.js';
import { encodeUtf8 } from '../../../packages/utf8/index.js';

/** A file in the request. */
export interface FileRef {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** A finished upload that the service holds for the connected account. */
export interface KnownUpload extends FileRef {
  /** SHA-256 of the stored file, in lower-case hex. */
  readonly sha256: string;
  /** The plugin's own id of the photo that was uploaded; null when the upload came another way. */
  readonly clientUploadId: string | null;
}

/** The current version of a photo that a file would replace. */
export interface EarlierUpload {
  /** The name of the checked file. */
  readonly name: string;
  /** The identity of the document; null when it is not known. */
  readonly document: string | null;
  /** Its id at the service. */
  readonly id: string;
  readonly project: ProjectRef | null;
  /** Why the file would replace it. */
  readonly match: 'document' | 'name';
  /** Wall-clock time in milliseconds; null when the service does not report it. */
  readonly createdAt: number | null;
}

/** The service's copies of some files. */
export interface KnownFiles {
  readonly known: readonly KnownUpload[];
  readonly previous: readonly EarlierUpload[];
}

/** A file in the request, if the service finds earlier versions. */
export interface VersionedFile extends FileRef {
  readonly document: string | null;
  readonly byDocument?: true;
  readonly project: ProjectRef | null;
}

/** The service takes 1,000 files in one question, but the plugin reads at most 64 KiB of an answer. */
const MAX_ANSWER_BYTES = 60_000;
/** Bytes that an entry of the answer takes besides its name. */
const ENTRY_BYTES = 220;
/** Bytes that an earlier version takes in the answer besides its name. */
const PREVIOUS_BYTES = 500;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * How many files, from the first on, one question may be about so that its answer can be read if it has one entry for
 * each of them. At least 1, if there are any.
 * @param most  never more than this
 * @param findsVersions  whether the answer may have an earlier version for each of them, too
 */
export function batchSize(files: readonly FileRef[], most: number, findsVersions = false): number {
  let bytes = 0;
  const end = files.slice(0, most).findIndex(({ name }) => {
    const nameBytes = encodeUtf8(JSON.stringify(name)).length;
    bytes += nameBytes + ENTRY_BYTES + (findsVersions ? nameBytes + PREVIOUS_BYTES : 0);
    return bytes > MAX_ANSWER_BYTES;
  });
  return end < 0 ? Math.min(files.length, most) : Math.max(1, end);
}

/**
 * Requests which of these files the service already holds: `POST /api/v1/uploads/known` (docs/http-api.md). One
 * attempt.
 * @param endpoint  address of the upload collection
 * @param findsVersions  whether the service also finds earlier versions
 * @returns null for a malformed answer
 * @throws {CwError} when there is no answer, or a refusal
 * @throws {CancelledError}
 */
export async function findKnownUploads(
  queue: Pick<RequestQueue, 'send'>,
  endpoint: string,
  files: readonly VersionedFile[],
  findsVersions: boolean,
  signal: CancelSignal,
): Promise<KnownFiles | null> {
  const asked = files.map(({ name, size, document, byDocument, project }) => ({
    name,
    size,
    ...(findsVersions && document !== null && { document }),
    ...(findsVersions && document !== null && byDocument && { version_by: 'document' }),
    ...(findsVersions && project !== null && { project: project.id }),
  }));
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
  const body = parseJsonObject(text);
  const known = body && readKnownUploads(body);
  return known && { known, previous: findsVersions ? readPrevious(body) : [] };
}

function readKnownUploads(body: JsonObject): readonly KnownUpload[] | null {
  const known: unknown = body['known'];
  if (!Array.isArray(known)) {
    return null;
  }
  const found = known.flatMap((entry: unknown) => readKnownUpload(entry) ?? []);
  return found.length === known.length ? found : null;
}

/** Entries that cannot be read are left out: their photos become new ones. */
function readPrevious(body: JsonObject): readonly EarlierUpload[] {
  const previous: unknown = body['previous'];
  return Array.isArray(previous)
    ? previous.flatMap((entry: unknown) => readEarlierUpload(entry) ?? [])
    : [];
}

function readEarlierUpload(entry: unknown): EarlierUpload | null {
  if (!isJsonObject(entry)) {
    return null;
  }
  const name = textField(entry, 'name');
  const id = textField(entry, 'id');
  const { match } = entry;
  if (name === null || id === null || !isServiceId(id)) {
    return null;
  }
  return match === 'document' || match === 'name'
    ? {
        name,
        document: textField(entry, 'document'),
        id,
        project: readProjectRef(entry['project']),
        match,
        createdAt: readTime(entry['created_at']),
      }
    : null;
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
