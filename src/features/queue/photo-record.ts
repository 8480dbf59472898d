import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import { isServiceId, readProjectRef, type ProjectRef } from '../../api/project.js';
import { MAX_SOURCE_LENGTH, type FileLength } from '../../host/photo-source.js';
import { ERROR_CODES, noSpaceCode, type ErrorCode, type NoSpaceCode } from '../../util/errors.js';

/** Where a photo comes from and where it goes. */
export interface PhotoContext {
  /** The project that the photo goes to; null for none. */
  readonly project: ProjectRef | null;
  /**
   * Identity of the document that the photo shows, with its format, see {@link identityOfFormat}. 1 to 200 printable ASCII
   * characters; null when it is not known.
   */
  readonly document: string | null;
  /** State of the document when it was exported; null for a file, or when it is not known. */
  readonly stateId: string | null;
  /** Set for an export of the open document: it is a version of the document's photo, whatever its name is. */
  readonly byDocument?: true;
  /** Set for an automatic export: how it was made and for which project (`recipe.ts`). */
  readonly recipe?: string;
  /** Set for an export, where the app reports it: how much the file contains. */
  readonly length?: FileLength;
  /** Set for an export: where its content is in the document, see `PhotoSource.source`. */
  readonly source?: string;
}

/** The context of a file of which nothing more is known. */
export const NO_CONTEXT: PhotoContext = { project: null, document: null, stateId: null };

/** A queued photo as stored on disk: enough to continue after any restart. */
export interface PhotoRecord extends PhotoContext {
  /** Names the record, its copy in the spool, and the upload at the service (`client_upload_id`). */
  readonly id: string;
  /** File name, for users and for the service. */
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Digest of the session in which the photo was queued (`ownership-guard.ts`); null when it is not known. */
  readonly owner: string | null;
  /** Place in the order of queuing; never changes. */
  readonly position: number;
  /** 0, or more for a photo that the user chose to be next; the highest is first. */
  readonly priority: number;
  /** Wall-clock time in milliseconds at which the photo was queued. */
  readonly queuedAt: number;
  /** The upload's address at the service, once it has one. */
  readonly uploadUrl: string | null;
  /** Why the photo cannot be uploaded, until the user retries. */
  readonly failure: ErrorCode | null;
  /** The upload at the service of which this is a new version, or `none` for a new photo; null while not decided. */
  readonly replaces: string | null;
  /** CRC-32C of the photo as it was chosen, when the host gave it with the copy. */
  readonly crc32c?: number;
  /**
   * Set before the first creation is sent, since its answer may be lost. The service then finds the upload by `id`, with
   * the project of that time: project and version no longer change.
   */
  readonly begun?: true;
  /** Set for a photo that was queued without the user: no question about earlier versions keeps it waiting. */
  readonly unattended?: true;
  /** The user wants it sent although the service already holds it. */
  readonly sendAgain?: true;
  /** Set when the upload was restarted because the service held other bytes than were sent. That happens only once. */
  readonly restarted?: true;
  /** Set while the service has no space, on one photo for all that wait. */
  readonly noSpace?: NoSpaceCode;
}

/** Whether a photo's upload may exist at the service, so that its project and version can no longer change. */
export function hasBegun({ begun, uploadUrl }: PhotoRecord): boolean {
  return begun === true || uploadUrl !== null;
}

/** The record of a photo after the service has had space again. */
export function withoutNoSpace(record: PhotoRecord): PhotoRecord {
  const other = { ...record };
  delete other.noSpace;
  return other;
}

/** The record of a photo whose creation the service has refused. */
export function withoutBegin(record: PhotoRecord): PhotoRecord {
  const other = { ...record };
  delete other.begun;
  return other;
}

/**
 * Failures that another try cannot help, since the copy stays the same: too large, a kind that is not accepted,
 * damaged.
 */
const PERMANENT_FAILURES: readonly ErrorCode[] = ['CW-604', 'CW-605', 'CW-607'];

/** Whether a retry of the same photo may succeed. */
export function retryCanHelp(failure: ErrorCode | null): boolean {
  return failure === null || !PERMANENT_FAILURES.includes(failure);
}

/**
 * The record of a photo that the user retries: as if nothing had failed. A photo that the service already holds
 * (CW-611) is marked to be sent again, as a new photo.
 */
export function withRetry(record: PhotoRecord): PhotoRecord {
  const again = {
    ...record,
    failure: null,
    ...(record.failure === 'CW-611' && { sendAgain: true as const, replaces: 'none' }),
  };
  delete again.restarted;
  return again;
}

/**
 * The record of a photo for another account: results and decisions about the previous account's uploads do not apply.
 * Returns the same object when nothing changes.
 */
export function forOtherAccount(record: PhotoRecord): PhotoRecord {
  const { sendAgain, failure, replaces } = record;
  const isAboutAccount = failure === 'CW-611' || failure === 'CW-612';
  if (!hasBegun(record) && sendAgain === undefined && !isAboutAccount && replaces === null) {
    return record;
  }
  const other = {
    ...record,
    uploadUrl: null,
    replaces: null,
    failure: isAboutAccount ? null : failure,
  };
  delete other.sendAgain;
  delete other.begun;
  return other;
}

/**
 * Whether a failure only needs the user's confirmation. It was found when the photo was added or before its upload
 * began; the user can still send the photo.
 */
export function needsConfirmation(failure: ErrorCode | null): boolean {
  return failure === 'CW-609' || failure === 'CW-610' || failure === 'CW-611';
}

/** Gives the JSON text that stores a record. */
export function writeRecord(record: PhotoRecord): string {
  return JSON.stringify({ version: 1, ...record });
}

/** Sorts by turns: first the photos chosen to be next, the latest choice first; then the others as queued. */
export function compareRecords(a: PhotoRecord, b: PhotoRecord): number {
  return b.priority - a.priority || a.position - b.position;
}

/** Reads a stored record; null for anything that is not one. */
export function readRecord(id: string, text: string): PhotoRecord | null {
  const body = parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return null;
  }
  const name = textField(body, 'name');
  const type = textField(body, 'type');
  const size = numberField(body, 'size');
  const position = numberField(body, 'position');
  const queuedAt = numberField(body, 'queuedAt');
  if (name === null || type === null || size === null || position === null || queuedAt === null) {
    return null;
  }
  const crc32c = numberField(body, 'crc32c');
  const failure = ERROR_CODES.find((code) => code === body['failure']) ?? null;
  const noSpace = noSpaceCode(body['noSpace']) ?? noSpaceCode(failure);
  return {
    id,
    name,
    type,
    size,
    owner: textField(body, 'owner'),
    position,
    priority: numberField(body, 'priority') ?? 0,
    queuedAt,
    uploadUrl: textField(body, 'uploadUrl'),
    // A file that an earlier version let fail waits for space now, as the others.
    failure: noSpaceCode(failure) === null ? failure : null,
    ...readContext(body),
    replaces: readReplaces(textField(body, 'replaces')),
    ...(crc32c !== null && isUint32(crc32c) && { crc32c }),
    ...(body['begun'] === true && { begun: true }),
    ...(body['unattended'] === true && { unattended: true }),
    ...(body['sendAgain'] === true && { sendAgain: true }),
    ...(body['restarted'] === true && { restarted: true }),
    ...(noSpace !== null && { noSpace }),
  };
}

/** Reads where a photo comes from and goes, from a stored text. */
export function readContext(body: JsonObject): PhotoContext {
  const recipe = textField(body, 'recipe');
  const length = readLength(body['length']);
  const source = readSource(textField(body, 'source'));
  return {
    ...(body['byDocument'] === true && { byDocument: true }),
    ...(recipe !== null && { recipe }),
    ...(length && { length }),
    ...(source !== null && { source }),
    project: readProjectRef(body['project']),
    document: readDocumentId(textField(body, 'document')),
    stateId: textField(body, 'stateId'),
  };
}

function readLength(value: unknown): FileLength | null {
  const kind = isJsonObject(value) ? value['kind'] : null;
  const count = isJsonObject(value)
    ? numberField(value, kind === 'pages' ? 'pages' : 'seconds')
    : 0;
  if (count === null || !(count > 0)) {
    return null;
  }
  if (kind === 'pages') {
    return { kind, pages: count };
  }
  return kind === 'duration' ? { kind, seconds: count } : null;
}

/**
 * The identity of one file format of a document, `ID#image/jpeg`: its PSD and its JPEG are two photos with versions each.
 * Null without an identity, and for one that would be too long.
 * @param type  media type; none is added if it is unknown
 */
export function identityOfFormat(document: string | null, type: string): string | null {
  const format = type.toLowerCase();
  return readDocumentId(
    document !== null && /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(format)
      ? `${document}#${format}`
      : document,
  );
}

/** A document's identity as it may be stored and sent; null for anything else. */
export function readDocumentId(text: string | null): string | null {
  return text !== null && /^[!-~](?:[ -~]{0,198}[!-~])?$/.test(text) ? text : null;
}

/** See `PhotoSource.source`; null for anything that cannot be sent. */
export function readSource(text: string | null): string | null {
  const isShort = text !== null && text.length > 0 && text.length <= MAX_SOURCE_LENGTH;
  return isShort && /^[ -~]*$/.test(text) ? text : null;
}

/** The upload that a photo replaces, validated for storage and sending; null for invalid values. */
function readReplaces(text: string | null): string | null {
  return text !== null && isServiceId(text) ? text : null;
}

function isUint32(value: number): boolean {
  return value >>> 0 === value;
}
