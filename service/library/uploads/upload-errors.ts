import type { ApiError } from '../../kernel/http/api-error.js';

/**
 * For bytes that the service itself has no room for. Only the operator can help, not the workspace, whose quota is refused as
 * `insufficient_storage`. [RFC 4331 §6](https://www.rfc-editor.org/rfc/rfc4331#section-6) separates the two as well.
 */
export const DISK_FULL: ApiError = {
  status: 507,
  error: 'insufficient_disk_space',
  description: 'the service has no free disk space; try again later',
};

/** For a missing upload or one of another user. */
export function notFound(): ApiError {
  return { status: 404, error: 'not_found', description: 'the upload does not exist' };
}
