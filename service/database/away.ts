import { DatabaseError } from 'pg';
import { systemErrorCode, UnavailableError } from '../errors.js';
import { isPassing } from './sql-states.js';

/** Turns errors that say that the database is away or out of room into {@link UnavailableError}. */
export async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (!isAway(cause)) {
      throw cause;
    }
    throw new UnavailableError(reasonOf(cause), undefined, { cause });
  }
}

/** What is not an answer of the database is about the connection, unless we used it wrongly. */
function isAway(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return isPassing(error.code);
  }
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** One clause for people. It has no text of node-postgres or of the server, which may quote the URL. */
export function reasonOf(error: unknown): string {
  const code = systemErrorCode(error);
  if (error instanceof DatabaseError) {
    return `the database refused (SQLSTATE ${code})`;
  }
  if (isSignIn(error)) {
    return 'signing in failed';
  }
  return code === ''
    ? 'the connection was lost or was not made in time'
    : `no connection (${code})`;
}

/** A sign-in that node-postgres itself gives up, or a server without TLS: these have no codes. */
export function isSignIn(error: unknown): boolean {
  return error instanceof Error && /\b(SASL|SSL)\b/.test(error.message);
}
