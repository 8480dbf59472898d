import type { ServerResponse } from 'node:http';

/** How long a sender may go on after it got an answer that needed no more. */
const LINGER_MS = 2000;
/** How long the last words on a connection may take to go out. */
const LAST_WORDS_MS = 1000;

/**
 * Limits a request to `milliseconds` from now, for the sender and for the reader of the answer.
 * @param late answers a request whose time is over, if it still can; the connection ends after it.
 */
export function limitTime(response: ServerResponse, milliseconds: number, late: () => void): void {
  const timer = setTimeout(() => {
    if (response.headersSent) {
      response.req.socket.destroy();
      return;
    }
    response.setHeader('Connection', 'close');
    late();
    cutSoon(response);
  }, milliseconds);
  response.once('close', () => {
    clearTimeout(timer);
  });
}

/**
 * Ends an upload that rests with its client: the next byte does not come, or nobody reads the answer.
 * While the service itself works on what came, or the storage takes its time, nothing is ended.
 * @param milliseconds how long the client may rest.
 */
export function limitIdleness(response: ServerResponse, milliseconds: number): void {
  const request = response.req;
  const check = (): void => {
    const awaitsBytes = !request.complete && request.readableLength === 0;
    const awaitsReader = response.headersSent && !response.writableFinished;
    if (awaitsBytes || awaitsReader) request.socket.destroy();
    else response.setTimeout(milliseconds);
  };
  response.setTimeout(milliseconds, check);
}

/**
 * Sees to what is left of a request that was answered before it was read to its end. The connection
 * is not cut at once, since the answer might be lost with it (RFC 9112 §9.6): what is on its way is
 * thrown away, for a moment and up to an amount. A sender that comes to its end in that time may go
 * on to use the connection.
 * @param most the amount in bytes.
 */
export function limitLeftovers(response: ServerResponse, most: number): void {
  const request = response.req;
  response.once('finish', () => {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) socket.destroy();
    });
    request.once('close', () => {
      clearTimeout(timer);
    });
    request.once('end', () => {
      clearTimeout(timer);
    });
    request.resume();
  });
}

/** Ends the connection when the answer has gone out, and if it does not, without it. */
function cutSoon(response: ServerResponse): void {
  const { socket } = response.req;
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
