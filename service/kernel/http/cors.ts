import type { ServerResponse } from 'node:http';
import type { RequestContext } from './request/request-context.js';
import { sendStatus } from './responses.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'DPoP',
  'If-None-Match',
  'If-Range',
  'Range',
  'Repr-Digest',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-Id',
  'X-Requested-With',
].join(', ');

/** The headers of an answer that a script on another origin may read. */
export const EXPOSED_HEADERS: readonly string[] = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Date',
  'ETag',
  'Link',
  'Location',
  'Photo-Version',
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

/** How long a browser may keep the answer to a preflight, in seconds. Browsers cap it (Chromium at two hours). */
const PREFLIGHT_MAX_AGE = 86_400;

/**
 * Lets scripts of any origin read an answer of the API. That is safe because the API ignores cookies: every caller
 * needs a token. Requests with credentials (cookies) are not allowed.
 */
export function allowEveryOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
}

/**
 * Answers a request if it is a [CORS preflight](https://fetch.spec.whatwg.org/#cors-preflight-request).
 * @returns whether it was one.
 */
export function answerPreflight({ request, response, method }: RequestContext): boolean {
  const isPreflight =
    method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) {
    return false;
  }
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
  response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE));
  sendStatus(response, 204);
  return true;
}
