import type { Server } from '@tus/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from '../../../kernel/http/responses.js';
import { mediaTypeIn } from '../../../kernel/http/request/media-type.js';
import { TUS_VERSION, UPLOADS_PATH } from '../../../kernel/http/tus-headers.js';
import { uploadPath } from '../../../site/addresses/upload-paths.js';
import { DISK_FULL } from '../upload-errors.js';
import { plainMetadata } from './metadata.js';
import type { UploadBody } from './upload-body.js';
import { BYTES } from './upload-request.js';

/** The request headers that are passed to the tus server; all others (`Forwarded`, overrides) are kept from it. */
const HEADERS = [
  'content-length',
  'content-type',
  'tus-resumable',
  'upload-concat',
  'upload-defer-length',
  'upload-length',
  'upload-metadata',
  'upload-offset',
];

/**
 * The `error` code for each status of a tus answer, in the form of
 * [RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2).
 */
const ERROR_WORDS: Readonly<Record<number, string>> = {
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'unknown_project',
  429: 'too_many_requests',
  460: 'checksum_mismatch',
  500: 'server_error',
  503: 'temporarily_unavailable',
  507: 'insufficient_storage',
};

/** The request to the tus server, without the headers. */
export interface TusRequest {
  readonly method: string;
  /** The checked id of an upload; undefined when the request is about all of them. */
  readonly id?: string;
  readonly body?: UploadBody | undefined;
}

/**
 * Passes the tus server a new request, made from checked values: its address has the checked id, or none, and
 * it has only the headers that tus needs.
 */
export async function handleTus(
  tus: Server,
  request: IncomingMessage,
  { method, id, body }: TusRequest,
): Promise<Response> {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') {
      headers.set(name, value);
    }
  }
  writePlainly(headers);
  // The origin does not matter: the tus server answers with paths.
  const url = `http://service.invalid${id === undefined ? UPLOADS_PATH : uploadPath(id)}`;
  return tus.handleWeb(
    new Request(url, {
      method,
      headers,
      ...(body !== undefined && { body: body.stream, duplex: 'half' }),
    }),
  );
}

/** Writes headers in the only form that the tus server reads. */
function writePlainly(headers: Headers): void {
  if (mediaTypeIn(headers.get('content-type') ?? undefined) === BYTES) {
    headers.set('content-type', BYTES);
  }
  const metadata = plainMetadata(headers.get('upload-metadata') ?? '');
  // The official Python client sends empty metadata when it has none.
  if (metadata === '') {
    headers.delete('upload-metadata');
  } else {
    headers.set('upload-metadata', metadata);
  }
}

/** Sends the answer of the tus server. Errors get the same JSON form as everywhere in the API. */
export async function sendTusAnswer(response: ServerResponse, answer: Response): Promise<void> {
  const text = await answer.text();
  for (const [name, value] of answer.headers) {
    // A connection whose body was not read to the end is closed later, see http/lingering-close.ts.
    if (name !== 'connection' && name !== 'content-length') {
      response.setHeader(name, value);
    }
  }
  // The tus server answers 501 when a client requests an extension that is not offered. That is the client's mistake.
  const status = answer.status === 501 ? 400 : answer.status;
  if (status >= 400) {
    if (status === 412) {
      response.setHeader('Tus-Version', TUS_VERSION);
    }
    if (status === 503 || status === 429) {
      response.setHeader('Retry-After', '1');
    }
    const description = text.trim();
    const word =
      description === DISK_FULL.description
        ? DISK_FULL.error
        : (ERROR_WORDS[status] ?? 'invalid_request');
    sendError(response, status, word, description);
    return;
  }
  response.statusCode = status;
  if (status !== 204) {
    response.setHeader('Content-Length', Buffer.byteLength(text));
  }
  response.end(text);
}
