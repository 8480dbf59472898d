import type { ServerResponse } from 'node:http';
import { systemErrorCode } from '../errors.js';

/** The codes with which Node.js reports a connection that has ended. */
const CODES = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Whether an error says only that the connection to the client ended too early. Clients may go away or be too slow;
 * that is no failure of the service. The same error is a failure if it is about another connection, for instance the
 * one to the database: then the connection to the client is still open.
 */
export function isClientGone(error: unknown, response: ServerResponse): boolean {
  const isOver = response.destroyed || response.req.socket.destroyed;
  const says =
    CODES.has(systemErrorCode(error)) || (error instanceof Error && error.message === 'aborted');
  return isOver && says;
}
