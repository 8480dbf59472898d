import type { ServerResponse } from 'node:http';
import { systemErrorCode } from '../errors.js';

const CODES = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Whether an error only says that the connection to the client ended before the exchange was over. A client
 * may go, or be slow; that is no failure of the service. The same error about another connection, to the
 * database for instance, is one.
 */
export function isClientGone(error: unknown, response: ServerResponse): boolean {
  const isOver = response.destroyed || response.req.socket.destroyed;
  const says =
    CODES.has(systemErrorCode(error)) || (error instanceof Error && error.message === 'aborted');
  return isOver && says;
}
