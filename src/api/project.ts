import { isJsonObject, numberField, textField } from '../util/json.js';
import { sanitizeDisplayName } from '../util/sanitize-display-name.js';

/** A project by its id, with its name when it was last seen. */
export interface ProjectRef {
  readonly id: string;
  readonly name: string;
}

/** A project of the workspace to which photos can be uploaded. */
export interface Project extends ProjectRef {
  /** How many photos it has; null when the service does not report it. */
  readonly photos: number | null;
  /** Wall-clock time, in milliseconds, of its last upload or its creation; null when the service does not report it. */
  readonly updated: number | null;
}

/** Longer names and ids are ignored. UTF-16 code units. */
const LONGEST = 200;
/** An id goes into a header and into addresses. */
const ID = /^[\w-]{1,64}$/;

/** Whether the service may have given this id to something. */
export function isServiceId(id: string): boolean {
  return ID.test(id);
}

/** Reads a project's id and name from JSON of any source; null unless both can be used. */
export function readProjectRef(value: unknown): ProjectRef | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const id = textField(value, 'id');
  const name = sanitizeDisplayName(textField(value, 'name') ?? '', LONGEST);
  return id !== null && isServiceId(id) && name !== null ? { id, name } : null;
}

/** Reads a project of the service's answer; null for one that is archived or cannot be used. */
export function readProject(value: unknown): Project | null {
  const ref = readProjectRef(value);
  if (!ref || !isJsonObject(value) || value['archived'] === true) {
    return null;
  }
  const photos = numberField(value, 'photos');
  return {
    ...ref,
    photos: photos !== null && Number.isSafeInteger(photos) && photos >= 0 ? photos : null,
    updated: readTime(value['updated']),
  };
}

/** Wall-clock time in milliseconds of an ISO 8601 text; null for anything else. */
export function readTime(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isFinite(time) ? time : null;
}
