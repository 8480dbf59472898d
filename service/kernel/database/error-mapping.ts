import { DatabaseError } from 'pg';
import { LostAnswerError, systemErrorCode, UnavailableError } from '../errors.js';
import { isShutdown, isTransient } from './sql-states.js';

/**
 * Waits for an answer of the database.
 * @throws {UnavailableError} when the database is away or out of room; any other error is thrown as it is.
 */
export async function mapErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (!isAway(cause)) {
      throw cause;
    }
    throw new UnavailableError(reasonOf(cause), undefined, { cause });
  }
}

/**
 * Waits for the answer to a statement that may end in a commit.
 * @throws {LostAnswerError} when the connection was lost: the statement may have been carried out or not.
 * @throws {UnavailableError} when the database has refused; any other error is thrown as it is.
 */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await mapErrors(answer);
  } catch (error) {
    if (error instanceof UnavailableError && hasLostAnswer(error.cause)) {
      throw new LostAnswerError(error.reason, undefined, { cause: error.cause });
    }
    throw error;
  }
}

/** A server that ends or crashes may send these after it has committed. */
function hasLostAnswer(cause: unknown): boolean {
  return !(cause instanceof DatabaseError) || isShutdown(cause.code);
}

/** An error of the server has a SQLSTATE. Any other error is about the connection, unless our own code is wrong. */
function isAway(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return isTransient(error.code);
  }
  return !(error instanceof TypeError || error instanceof RangeError);
}

/**
 * The problem as a clause for the operator. It quotes neither node-postgres nor the server, whose messages may contain
 * the URL.
 */
export function reasonOf(error: unknown): string {
  const code = systemErrorCode(error);
  if (error instanceof DatabaseError) {
    return `the database refused (SQLSTATE ${code})`;
  }
  if (isAuthFailure(error)) {
    return 'signing in failed';
  }
  return code === ''
    ? 'the connection was lost or was not made in time'
    : `no connection (${code})`;
}

/** Whether node-postgres aborted the sign-in, or the server has no TLS. Such an error has no code, only a message. */
export function isAuthFailure(error: unknown): boolean {
  return error instanceof Error && /\b(SASL|SSL)\b/.test(error.message);
}
