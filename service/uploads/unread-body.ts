import type { IncomingMessage } from 'node:http';

/** How long a sender may go on after the answer, in milliseconds: long enough to read it on any line. */
const LINGER_MS = 30_000;

/**
 * Deals with what is left of a body after its answer. Closing at once would make the sender lose the
 * answer (RFC 9112 §9.6); so the rest is thrown away for a while, and then the connection is closed.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const cut = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, LINGER_MS).unref();
  const settle = (): void => clearTimeout(cut);
  request.once('end', settle);
  request.once('close', settle);
  request.resume();
}
