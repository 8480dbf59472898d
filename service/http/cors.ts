import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.js';
import { sendNothing } from './responses.js';

const METHODS = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Repr-Digest',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-Id',
  'X-Requested-With',
].join(', ');

/** Headers that a script on another origin may read. */
export const EXPOSED_HEADERS: readonly string[] = [
  'Link',
  'Location',
  'Repr-Digest',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** Browsers cap this themselves (Chromium at two hours). In seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

/**
 * Opens an answer of the API to scripts of any origin. That is safe because it knows no cookies:
 * whoever calls must hold a token. Credentialed requests are not allowed.
 */
export function allowEveryOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
}

/** Answers a request that is a preflight; tells whether it was one. */
export function answerPreflight({ request, response, method }: Exchange): boolean {
  const isPreflight =
    method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) {
    return false;
  }
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
  response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE));
  sendNothing(response, 204);
  return true;
}
