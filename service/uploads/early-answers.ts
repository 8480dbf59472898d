import type { EarlyAnswer } from '../http/early-answers.js';

/** The description of an answer when the disk is full. */
export const DISK_FULL = 'the service has no room left for files; try again later';

/** For bytes that there is no room for. */
export function noRoom(description = DISK_FULL): EarlyAnswer {
  return { status: 507, error: 'insufficient_storage', description };
}

/** For an upload that is not there, or is somebody else's. */
export function notFound(): EarlyAnswer {
  return { status: 404, error: 'not_found', description: 'there is no such upload' };
}
