import type { ApiError } from '../../kernel/http/api-error.js';

/** The description of an answer when the disk is full. */
export const DISK_FULL = 'the service has no free disk space; try again later';

/** For bytes that there is no room for. */
export function outOfSpace(description = DISK_FULL): ApiError {
  return { status: 507, error: 'insufficient_storage', description };
}

/** For a missing upload or one of another user. */
export function notFound(): ApiError {
  return { status: 404, error: 'not_found', description: 'the upload does not exist' };
}
