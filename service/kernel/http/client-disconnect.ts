import type { ServerResponse } from 'node:http';
import { systemErrorCode } from '../errors.js';

/** The codes with which Node.js reports a connection that has ended. */
const CODES = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Whether an error only means that the client disconnected early. Clients may disconnect or be slow; that is not a
 * failure of the service. The same error of another connection, for instance to the database, is a failure; the
 * connection to the client is open then.
 */
export function isClientGone(error: unknown, response: ServerResponse): boolean {
  const isOver = response.destroyed || response.req.socket.destroyed;
  const isDisconnect =
    CODES.has(systemErrorCode(error)) || (error instanceof Error && error.message === 'aborted');
  return isOver && isDisconnect;
}
