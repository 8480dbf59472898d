import type { IncomingMessage } from 'node:http';
import {
  endBrowserSessionsOf,
  endCompanySessions,
  ENDED_SESSION,
} from '../session/browser-session.js';
import { SESSION_COMPANY, type Reach } from '../session/reach.js';
import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';

/** A browser in which a user is signed in. */
export interface SignedInBrowser {
  /** The id of the row of its session, which is not the session's identifier. */
  readonly sessionId: string;
  readonly userAgent: string;
  /** The address of the last use, as `ClientAddress` returns it. */
  readonly network: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

/** "Last used" is kept to the minute: not every request has to write. */
const LAST_USED_STEP_MS = 60_000;

const MAX_USER_AGENT = 256;

const USED = prepared(
  `INSERT INTO browser_sessions (session_id, account_id, user_agent, network, created_at, last_used_at)
   SELECT $1, id, $3, $4, $5, $5 FROM accounts WHERE id = $2
   ON CONFLICT (session_id) DO UPDATE
     SET account_id = excluded.account_id, network = excluded.network, last_used_at = excluded.last_used_at`,
);

/** Whether the use of a session is to be stored again. @param lastUsedAt undefined if it was never stored */
export function isUseDue(lastUsedAt: Date | undefined, now: Date): boolean {
  return now.getTime() - (lastUsedAt?.getTime() ?? 0) >= LAST_USED_STEP_MS;
}

/** Stores that a browser uses its session. */
export async function touchBrowserSession(
  database: Queryable,
  { sessionId, accountId }: { readonly sessionId: string; readonly accountId: string },
  { request, addressOf }: { readonly request: IncomingMessage; readonly addressOf: ClientAddress },
  now: Date,
): Promise<void> {
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? '';
  await database.query(USED, [sessionId, accountId, userAgent, addressOf(request), now]);
}

/**
 * The browsers in which a user is signed in; those that were used last come first. A session that a company opened reaches
 * only those that it opened.
 */
export function browsersOf(
  database: Queryable,
  { accountId, company }: Reach,
  now: Date,
): Promise<SignedInBrowser[]> {
  return database.query<SignedInBrowser>(
    `SELECT session_id AS "sessionId", user_agent AS "userAgent", network, browser_sessions.created_at AS "createdAt",
            last_used_at AS "lastUsedAt"
       FROM browser_sessions
       JOIN oidc_records AS session ON kind = 'Session' AND session.id = session_id
      WHERE account_id = $1 AND consumed_at IS NULL AND expires_at > $2
        AND ($3::text IS NULL OR ${SESSION_COMPANY} = $3)
      ORDER BY last_used_at DESC, session_id`,
    [accountId, now, company ?? null],
  );
}

/**
 * Signs one browser of a user out. Ignores those that the session does not reach. Call it in a transaction.
 * @returns its user agent; undefined if the user is not signed in there
 */
export async function endBrowser(
  transaction: Queryable,
  { accountId, company }: Reach,
  sessionId: string,
): Promise<string | undefined> {
  const ended = await transaction.query(
    `UPDATE oidc_records AS session SET ${ENDED_SESSION}
      WHERE kind = 'Session' AND id = $1 AND payload ->> 'accountId' = $2
        AND ($3::text IS NULL OR ${SESSION_COMPANY} = $3) RETURNING id`,
    [sessionId, accountId, company ?? null],
  );
  if (ended.length === 0) {
    return undefined;
  }
  const [row] = await transaction.query<{ user_agent: string }>(
    'DELETE FROM browser_sessions WHERE session_id = $1 AND account_id = $2 RETURNING user_agent',
    [sessionId, accountId],
  );
  return row?.user_agent ?? '';
}

/** Signs every other browser of a user out that the session reaches. Call it in a transaction. @returns how many there were */
export function endOtherBrowsers(
  transaction: Queryable,
  { accountId, company }: Reach,
  sessionId: string,
): Promise<number> {
  return company === undefined
    ? endBrowserSessionsOf(transaction, accountId, sessionId)
    : endCompanySessions(transaction, company, accountId, sessionId);
}
