import { isServiceId } from '../../api/project.js';
import { isJsonObject, numberField, textField, type JsonObject } from '../../util/json.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';

/** What the service has in place of a placed file. */
export interface FileVersion {
  /** The id of the upload. */
  readonly id: string;
  readonly name: string;
  /** Null where the service gives none. */
  readonly version: number | null;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** What the service says about a placed file. */
export type FileStatus =
  | { readonly kind: 'current' | 'newer' | 'newer-approved'; readonly current: FileVersion }
  /** The file is of the same document, but none of its versions. */
  | { readonly kind: 'other'; readonly current: FileVersion }
  | { readonly kind: 'gone' | 'unknown' };

/** A status, with the placed version; null where the service gives none. */
export interface StatusAnswer {
  readonly status: FileStatus;
  readonly placed: FileVersion | null;
}

const LONGEST_NAME = 255;
const KINDS = new Map([
  ['current', 'current'],
  ['newer', 'newer'],
  ['newer_approved', 'newer-approved'],
  ['other_bytes', 'other'],
] as const);

/** Reads one link of an answer of the service; null for anything else. */
export function readAnswer(value: unknown): StatusAnswer | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const state = textField(value, 'state');
  const placed = readVersion(value['placed']);
  if (state === 'gone') {
    return { status: { kind: 'gone' }, placed };
  }
  if (state === 'unknown') {
    return { status: { kind: 'unknown' }, placed };
  }
  const kind = [...KINDS].find(([name]) => name === state)?.[1];
  const current = readVersion(value['current']);
  return kind && current ? { status: { kind, current }, placed } : null;
}

/** An answer as {@link readAnswer} reads it, with no more than that. */
export function writeAnswer(answer: StatusAnswer | null): object | null {
  if (!answer) {
    return null;
  }
  const { status, placed } = answer;
  const [state] = [...KINDS].find(([, kind]) => kind === status.kind) ?? [status.kind];
  return {
    state,
    placed,
    ...('current' in status && { current: status.current }),
  };
}

function readVersion(value: unknown): FileVersion | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const id = textField(value, 'id') ?? '';
  const sha256 = textField(value, 'sha256') ?? '';
  const size = numberField(value, 'size') ?? -1;
  const name = sanitizeDisplayName(textField(value, 'name') ?? '', LONGEST_NAME);
  const isUsable =
    isServiceId(id) && /^[\da-f]{64}$/.test(sha256) && Number.isSafeInteger(size) && size >= 0;
  return isUsable && name !== null ? { id, name, version: versionOf(value), size, sha256 } : null;
}

function versionOf(value: JsonObject): number | null {
  const version = numberField(value, 'version');
  return version !== null && Number.isSafeInteger(version) && version > 0 ? version : null;
}
