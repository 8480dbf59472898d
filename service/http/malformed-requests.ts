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
 * Answers what cannot be read as HTTP, and ends the connection. Each request gets one answer at most:
 * Node would send a second one when the body of a request turns out to be malformed that was answered
 * before it had come to its end, and a proxy in between could hand that on to somebody else, as the
 * answer to the next request on the connection (RFC 9112 §11.1).
 */
export function answerMalformed(server: Server): void {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => {
    last.set(request.socket, response);
  });
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (!socket.writable || !mayAnswer(last.get(socket))) {
      socket.destroy();
      return;
    }
    const status = STATUS_LINES.get(systemErrorCode(error)) ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });
}

/**
 * Whether the next answer on a connection is the one to what could not be read: to the end of the last
 * request, when it has not come to one, or to one after it, unless no other was to come (§9.6).
 */
function mayAnswer(last: ServerResponse | undefined): boolean {
  if (last === undefined) return true;
  if (!last.req.complete) return !last.headersSent;
  return last.writableFinished && last.shouldKeepAlive;
}
