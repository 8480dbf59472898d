/** The server takes no changes: it has become a standby. */
export const READ_ONLY = '25006';

/** A unique index has the value already. */
const UNIQUE_VIOLATION = '23505';

/** Whether a statement failed because a unique index has the value already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

/** There is no such database. */
export const NO_DATABASE = '3D000';

/**
 * SQLSTATEs (PostgreSQL's documentation, appendix A) of transient problems: the server stops, starts or is a standby
 * now, or a statement or a lock timed out.
 */
const PASSING: ReadonlySet<string> = new Set([
  READ_ONLY,
  '40P01', // two transactions waited for each other, and this one was aborted
  '25P03', // a transaction idled for too long
  '55P03', // a lock was not free in time
  '57014', // a statement ran for too long
  '57P01', // the administrator stops the server
  '57P02', // another process of the server crashed
  '57P03', // the server is starting
  '57P05', // a connection idled for too long
]);

/** Classes of such SQLSTATEs: 08, connections that broke; 53, resources that are used up, such as room on the disk. */
const PASSING_CLASSES: ReadonlySet<string> = new Set(['08', '53']);

/** Permanent, although of class 08: the server, or a proxy in front of it, does not speak our protocol. */
const PROTOCOL_VIOLATION = '08P01';

/** Whether the same statement may succeed a little later, without a change of the statement or the set-up. */
export function isTransient(sqlState: string | undefined): boolean {
  if (sqlState === undefined || sqlState === PROTOCOL_VIOLATION) {
    return false;
  }
  return PASSING.has(sqlState) || PASSING_CLASSES.has(sqlState.slice(0, 2));
}

/** Whether a server sends this when it ends the connection, whatever the state of the statement: classes 08 and 57P. */
export function isShutdown(sqlState: string | undefined): boolean {
  return sqlState !== undefined && /^(?:08|57P)/.test(sqlState);
}
