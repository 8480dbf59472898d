import type { ServerResponse } from 'node:http';

/** How long, and how many bytes, a sender may go on after it got an answer that needed no more. */
export interface Leftovers {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** A sender who is silent for this long has nothing more on its way. In milliseconds. */
const LINGER_SILENT_MS = 2000;

export const LEFTOVERS: Leftovers = { milliseconds: LINGER_SILENT_MS, bytes: 256 * 1024 };

/**
 * For uploads: a whole chunk may be on its way, on a slow line, when the answer is that there is no room or no
 * permission; a client that lost that answer would send the chunk again and again.
 */
export const LEFTOVERS_OF_UPLOADS: Leftovers = { milliseconds: 30_000, bytes: 16 * 1024 * 1024 };

/** How often leftovers are counted, in milliseconds. */
const LEFTOVERS_CHECK_MS = 10;

/** How long the last words on a connection may take to go out. */
const LAST_WORDS_MS = 1000;

/**
 * Gives a request `milliseconds` from now, to be sent and for its answer to be read.
 * @param late answers a request whose time is over, if it still can; the connection ends after it.
 * @returns lifts the limit again.
 */
export function limitTime(
  response: ServerResponse,
  milliseconds: number,
  late: () => void,
): () => void {
  const timer = setTimeout(() => {
    if (response.headersSent) {
      response.req.socket.destroy();
      return;
    }
    response.setHeader('Connection', 'close');
    late();
    cutSoon(response);
  }, milliseconds);
  const lift = (): void => {
    clearTimeout(timer);
  };
  response.once('close', lift);
  return lift;
}

/**
 * Ends an upload or a download that rests with its client: the next byte does not come, or nobody reads the answer.
 * While the service itself works on what came, or the storage takes its time, nothing is ended.
 * @param milliseconds how long the client may rest.
 */
export function limitIdleness(response: ServerResponse, milliseconds: number): void {
  const request = response.req;
  const check = (): void => {
    const awaitsBytes = !request.complete && request.readableLength === 0;
    const awaitsReader = response.headersSent && !response.writableFinished;
    if (awaitsBytes || awaitsReader) {
      request.socket.destroy();
    } else {
      response.setTimeout(milliseconds);
    }
  };
  response.setTimeout(milliseconds, check);
}

/**
 * Deals with the rest of a request that was answered before it was read to its end. The connection is not
 * cut at once, since the answer might be lost with it
 * ([RFC 9112 §9.6](https://www.rfc-editor.org/rfc/rfc9112#section-9.6)): what is on its way is thrown away, for a
 * moment and up to an amount. A sender that comes to its end in that time may go on to use the connection.
 */
export function limitLeftovers(response: ServerResponse, limits = LEFTOVERS): void {
  const request = response.req;
  response.once('finish', () => {
    if (request.complete || request.destroyed) {
      return;
    }
    const { socket } = request;
    const timer = setTimeout(() => socket.destroy(), limits.milliseconds).unref();
    const silent = setTimeout(() => socket.destroy(), LINGER_SILENT_MS).unref();
    // Not by `data`: of a request that nobody has begun to read Node throws the rest away unseen.
    const before = socket.bytesRead;
    let read = before;
    const watch = setInterval(() => {
      if (socket.bytesRead > read) {
        silent.refresh();
      }
      read = socket.bytesRead;
      if (read - before > limits.bytes) {
        socket.destroy();
      }
    }, LEFTOVERS_CHECK_MS).unref();
    const settle = (): void => {
      clearTimeout(timer);
      clearTimeout(silent);
      clearInterval(watch);
    };
    request.once('close', settle);
    request.once('end', settle);
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
