import type { ServerResponse } from 'node:http';
import { sendError } from '../http/responses.js';
import type { Challenge } from '../oauth/bearer.js';
import type { EarlyAnswer } from './upload-body.js';

/** What is said where the disk is full. */
export const DISK_FULL = 'the service has no room left for files; try again later';

/** Answers before the body was read to its end. */
export function sendEarly(response: ServerResponse, answer: EarlyAnswer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    response.setHeader(name, value);
  }
  sendError(response, answer.status, answer.error, answer.description);
}

/** For a request that cannot be understood. */
export function invalid(description: string): EarlyAnswer {
  return { status: 400, error: 'invalid_request', description };
}

/** For a request that needs another token. */
export function refusal({ status, header, error, description }: Challenge): EarlyAnswer {
  return { status, error, description, headers: { 'WWW-Authenticate': header } };
}

/** For bytes that have no place. */
export function noRoom(description = DISK_FULL): EarlyAnswer {
  return { status: 507, error: 'insufficient_storage', description };
}

/** For an upload that is not there, or is somebody else's. */
export function notFound(): EarlyAnswer {
  return { status: 404, error: 'not_found', description: 'there is no such upload' };
}
