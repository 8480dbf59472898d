import type { ServerResponse } from 'node:http';

/** The time and the bytes that a client may still send after its request has been answered. */
export interface LingeringClose {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** A client that is silent for this long is taken to have nothing more on its way. In milliseconds. */
const LINGER_SILENT_MS = 2000;

export const LINGERING_CLOSE: LingeringClose = {
  milliseconds: LINGER_SILENT_MS,
  bytes: 256 * 1024,
};

/**
 * For uploads. When one is refused (no room, no permission), a whole chunk may still be on its way on a slow line. If
 * the connection were cut, the client could lose the answer, and would send the chunk again and again.
 */
export const UPLOAD_LINGERING_CLOSE: LingeringClose = {
  milliseconds: 30_000,
  bytes: 16 * 1024 * 1024,
};

/** How often leftovers are counted, in milliseconds. */
const LEFTOVERS_CHECK_MS = 10;

/** How long an answer may take to go out before its connection is cut, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

/**
 * Limits the time of a request, from now until its answer has been read by the client.
 * @param late answers a request whose time is over. It is called only while no answer has begun; the connection ends
 *   after that answer. If one has begun, the connection is cut.
 * @returns a function that lifts the limit.
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
 * Closes the connection of an upload or a download without progress: no more bytes of the request come, or a response
 * that has begun does not continue. The connection stays open while the service works on received data, or while the
 * storage prepares the response.
 * @param milliseconds the time without progress. For a download it can be twice as long: Node restarts the time once if
 *   any data was sent since the last write.
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
 * Deals with the rest of a request that was answered before it was read to its end. If the connection were cut at once,
 * the answer could be lost ([RFC 9112 §9.6](https://www.rfc-editor.org/rfc/rfc9112#section-9.6)). So the rest is
 * received and thrown away. The connection is cut when `limits` are reached, or when the client is silent for
 * {@link LINGER_SILENT_MS}. A client that has sent the whole request by then can use it for the next request.
 */
export function drainUnreadBody(response: ServerResponse, limits = LINGERING_CLOSE): void {
  const request = response.req;
  response.once('finish', () => {
    if (request.complete || request.destroyed) {
      return;
    }
    const { socket } = request;
    const timer = setTimeout(() => socket.destroy(), limits.milliseconds).unref();
    const silent = setTimeout(() => socket.destroy(), LINGER_SILENT_MS).unref();
    // Counted at the socket: if the request has no reader yet, Node drops the rest without `data` events.
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

/** Cuts the connection if it has not ended after {@link CLOSE_GRACE_MS}; it ends when the answer has gone out. */
function cutSoon(response: ServerResponse): void {
  const { socket } = response.req;
  const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
