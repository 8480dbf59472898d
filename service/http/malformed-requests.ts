import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemErrorCode } from '../errors.js';

/** The status line by what Node's parser says, as Node itself would answer; 400 for all others. */
const STATUS_LINES: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/**
 * Answers what cannot be read as HTTP, and ends the connection. Each request gets one answer at most. Node
 * would send a second one when a request was answered early and the rest of its body then turns out to be
 * malformed; a proxy could hand that to somebody else, as the answer to the next request on the connection
 * ([RFC 9112 §11.1](https://www.rfc-editor.org/rfc/rfc9112#section-11.1)).
 */
export function answerMalformed(server: Server): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  // Node tells of each further piece of what it cannot read.
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
      // What came before it is being answered; the connection ends with that answer.
      ending.add(socket);
      response.once('finish', () => socket.end());
    } else if (mayAnswer(response)) {
      const status = STATUS_LINES.get(systemErrorCode(error)) ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\n${tusVersionOf(response)}Connection: close\r\n\r\n`);
    } else {
      socket.destroy();
    }
  });
}

/** The rest of an upload may be what cannot be read; the answer says the version of tus as any other. */
function tusVersionOf(last: ServerResponse | undefined): string {
  const version = last?.req.complete === false ? last.getHeader('Tus-Resumable') : undefined;
  return version === undefined ? '' : `Tus-Resumable: ${version.toString()}\r\n`;
}

/** Whether what could not be read has no answer yet: it is a request of its own, or the rest of one. */
function mayAnswer(last: ServerResponse | undefined): boolean {
  return last === undefined || last.req.complete || !last.headersSent;
}
