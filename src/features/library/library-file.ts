import { isServiceId, readProjectRef, readTime, type ProjectRef } from '../../api/project.js';
import type { FileLength } from '../../host/photo-source.js';
import { isJsonObject, numberField, textField, type JsonObject } from '../../util/json.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';

/** A file of the workspace, in its current version. */
export interface LibraryFile {
  readonly id: string;
  /** For users to read; never used as a path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Of its bytes, in lower-case hex; null when the service does not report it. */
  readonly sha256: string | null;
  /** Media type by the content, or else by the sender; null when neither is known. */
  readonly type: string | null;
  /** In pixels, as it is shown; null when that is not known. */
  readonly width: number | null;
  readonly height: number | null;
  readonly length: FileLength | null;
  /** 1 for the first; null when it is not known. */
  readonly version: number | null;
  readonly project: ProjectRef | null;
  /** Who sent it; null when the service does not report it. */
  readonly sender: string | null;
  /** Wall-clock times in milliseconds; null when they are not known. */
  readonly uploadedAt: number | null;
  readonly capturedAt: number | null;
  readonly approval: Approval | null;
  readonly comments: number;
  /** The page of the file, on the service's own origin. */
  readonly pageUrl: string;
}

/** What a guest approved last. */
export interface Approval {
  /** The version that was approved. */
  readonly version: number;
  /** Whether it has the current bytes. */
  readonly isCurrent: boolean;
  /** Who approved it; null when that is not known any longer. */
  readonly by: string | null;
}

/** Longer names are not shown. UTF-16 code units: names of files have at most 255. */
const MAX_NAME_LENGTH = 300;
const MEDIA_TYPE = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/;

/**
 * Reads a file of the service's list; null for one that cannot be shown.
 * @param baseUrl  of the service, without a slash at its end
 */
export function readLibraryFile(value: unknown, baseUrl: string): LibraryFile | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const id = textField(value, 'id');
  const name = nameIn(value, 'name');
  const size = count(value, 'size');
  if (id === null || !isServiceId(id) || name === null || size === null) {
    return null;
  }
  const sha256 = textField(value, 'sha256') ?? '';
  const { sent_by: sender, approval } = value;
  return {
    id,
    name,
    size,
    sha256: /^[\da-f]{64}$/.test(sha256) ? sha256 : null,
    type: typeIn(value, 'media_type') ?? typeIn(value, 'type'),
    width: countFromOne(value, 'width'),
    height: countFromOne(value, 'height'),
    length: readLength(value['media']),
    version: countFromOne(value, 'version'),
    project: readProjectRef(value['project']),
    sender: isJsonObject(sender) ? nameIn(sender, 'name') : null,
    uploadedAt: readTime(value['created']),
    capturedAt: readTime(value['captured_at']),
    approval: isJsonObject(approval) ? readApproval(approval) : null,
    comments: count(value, 'comments') ?? 0,
    pageUrl: `${baseUrl}/photos/${id}`,
  };
}

function readLength(media: unknown): FileLength | null {
  if (!isJsonObject(media)) {
    return null;
  }
  const pages = countFromOne(media, 'pages');
  const seconds = numberField(media, 'duration') ?? 0;
  if (media['kind'] === 'document' && pages !== null) {
    return { kind: 'pages', pages };
  }
  return media['kind'] === 'video' && seconds > 0 ? { kind: 'duration', seconds } : null;
}

function readApproval(approval: JsonObject): Approval {
  const { by } = approval;
  return {
    version: countFromOne(approval, 'version') ?? 1,
    isCurrent: approval['is_current'] === true,
    by: isJsonObject(by) ? nameIn(by, 'name') : nameIn(approval, 'by'),
  };
}

function nameIn(object: JsonObject, field: string): string | null {
  return sanitizeDisplayName(textField(object, field) ?? '', MAX_NAME_LENGTH);
}

function typeIn(object: JsonObject, field: string): string | null {
  const type = textField(object, field) ?? '';
  return MEDIA_TYPE.test(type) ? type.toLowerCase() : null;
}

/** A whole number from 0; null for anything else. */
function count(object: JsonObject, field: string): number | null {
  const number = numberField(object, field);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function countFromOne(object: JsonObject, field: string): number | null {
  const number = count(object, field);
  return number === 0 ? null : number;
}
