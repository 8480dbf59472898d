import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemErrorCode } from '../errors.js';
import { readTarget } from './request/request-target.js';
import { isForUploads, TUS_VERSION } from './tus-headers.js';

/** The status by error code of Node's parser, as Node itself would answer. All other errors get 400. */
const STATUS_LINES: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/**
 * Makes a server answer malformed HTTP and close the connection. Each request gets one response at most. By default,
 * Node sends a second one when a request was answered early and the rest of its body is malformed. A proxy could send
 * that to another client, as the response to the next request on the connection
 * ([RFC 9112 §11.1](https://www.rfc-editor.org/rfc/rfc9112#section-11.1)).
 */
export function answerMalformed(server: Server): void {
  // By connection, the answer to its last request.
  const last = new WeakMap<Duplex, ServerResponse>();
  // Node emits `clientError` again for each further piece that it cannot read.
  const ending = new WeakSet<Duplex>();
  server.prependListener('request', (request, response) => {
    last.set(request.socket, response);
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (ending.has(socket)) {
      return;
    }
    const response = last.get(socket);
    if (!socket.writable) {
      socket.destroy();
    } else if (response?.req.complete === true && !response.writableFinished) {
      // The request before is still being answered; the connection ends after that answer.
      ending.add(socket);
      response.once('finish', () => socket.end());
    } else if (response?.req.complete === true && !response.shouldKeepAlive) {
      // The answer to the request before is the last one of the connection, and may still be on its way.
      ending.add(socket);
      socket.end();
    } else if (mayAnswer(response)) {
      const status = STATUS_LINES.get(systemErrorCode(error)) ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\n${tusVersionOf(response)}Connection: close\r\n\r\n`);
    } else {
      socket.destroy();
    }
  });
}

/**
 * The `Tus-Resumable` header if the malformed bytes are the rest of an upload: every answer to uploads has it. Found by
 * the target of the request, since the request pipeline may not have read the request yet.
 */
function tusVersionOf(last: ServerResponse | undefined): string {
  const isUpload =
    last?.req.complete === false && isForUploads(readTarget(last.req.url ?? '').path);
  return isUpload ? `Tus-Resumable: ${TUS_VERSION}\r\n` : '';
}

/** Whether the malformed bytes may get an answer: they are a new request, or the rest of an unanswered one. */
function mayAnswer(last: ServerResponse | undefined): boolean {
  return last === undefined || last.req.complete || !last.headersSent;
}
