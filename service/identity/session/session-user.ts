import type { Provider } from 'oidc-provider';
import type { Account, Membership } from '../accounts/accounts.js';
import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import type { Notice } from '../notices/notices.js';
import { sha256 } from '../../kernel/hash.js';
import type { RequestContext } from '../../kernel/http/request/request-context.js';
import type { OpenSession } from './browser-session.js';
import { isExpired, type RecordRow } from './oidc-record.js';
import { SESSION_COMPANY } from './reach.js';

/** The result of the one statement for a page request. */
export interface StoredSessionUser {
  /** The session, if it has not ended. */
  readonly session: OpenSession | undefined;
  /** The id of its row; undefined without a session. */
  readonly sessionId?: string;
  /** The user of the session, if the row still has one. */
  readonly account: Account | undefined;
  readonly memberships: readonly Membership[];
  /** What the user is to be shown, the newest first. */
  readonly notices: readonly Notice[];
  /** When the use of the session was stored last; undefined if never. */
  readonly lastUsedAt: Date | undefined;
}

interface SessionUserRow extends RecordRow {
  account_id: string | null;
  username: string | null;
  display_name: string | null;
  memberships: Membership[] | null;
  notices: Notice[] | null;
  last_used_at: Date | null;
}

/**
 * LATERAL with LIMIT makes the planner look the user up also while there are few.
 *
 * A session that a company opened reaches the workspace of the company only, see `Reach`: the memberships and notices end
 * there. It has no user once the company account no longer opens the account.
 */
const SESSION_USER = prepared(
  `SELECT session.id, session.payload, session.consumed_at,
          accounts.id AS account_id, accounts.username, accounts.display_name,
          (SELECT json_agg(json_build_object(
                    'id', workspaces.id, 'name', workspaces.name, 'role', workspace_members.role,
                    'membersSeeAll', workspaces.members_see_all)
                  ORDER BY workspaces.created_at, workspaces.id)
             FROM workspaces JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
            WHERE workspace_members.account_id = accounts.id
              AND (company.id IS NULL OR workspace_members.workspace_id = company.id)) AS memberships,
          (SELECT json_agg(json_build_object('id', id, 'kind', kind, 'about', about, 'createdAt', created_at)
                           ORDER BY created_at DESC)
             FROM (SELECT id, kind, about, created_at FROM notices
                    WHERE account_id = accounts.id AND shown_at IS NULL
                      AND (company.id IS NULL OR workspace_id = company.id)
                    ORDER BY created_at DESC LIMIT 3) AS unseen) AS notices,
          (SELECT last_used_at FROM browser_sessions WHERE session_id = session.id) AS last_used_at
     FROM oidc_records AS session
    CROSS JOIN LATERAL (SELECT ${SESSION_COMPANY} AS id) AS company
     LEFT JOIN LATERAL (
       SELECT id, username, display_name FROM accounts
        WHERE id = session.payload ->> 'accountId'
          AND (company.id IS NULL OR EXISTS (
                SELECT 1 FROM account_identities
                 WHERE account_identities.account_id = accounts.id AND workspace_id = company.id)) LIMIT 1
     ) AS accounts ON true
    WHERE session.kind = 'Session' AND session.id = $1`,
);

const NOBODY: StoredSessionUser = {
  session: undefined,
  account: undefined,
  memberships: [],
  notices: [],
  lastUsedAt: undefined,
};

/** Reads the session of a browser with its user and the workspaces that it reaches. Empty for a browser without a session. */
export async function loadSessionUser(
  { provider, database }: { readonly provider: Provider; readonly database: Queryable },
  { request, response }: Pick<RequestContext, 'request' | 'response'>,
): Promise<StoredSessionUser> {
  const { cookies } = provider.createContext(request, response);
  const value = cookies.get(provider.cookieName('session'), { signed: true });
  if (value === undefined) {
    return NOBODY;
  }
  const id = sha256(value);
  const [row] = await database.query<SessionUserRow>(SESSION_USER, [id]);
  if (row === undefined || row.consumed_at !== null || isExpired(row.payload)) {
    return NOBODY;
  }
  const { accountId: owner, uid = '', loginTs, exp, amr } = row.payload;
  const session = {
    ...{ accountId: owner, uid, loginTs, exp, amr },
    destroy: () => provider.Session.adapter.destroy(value),
  };
  if (row.account_id === null) {
    return { ...NOBODY, session, sessionId: id };
  }
  const { account_id: accountId, username, display_name: displayName, memberships } = row;
  const account = { id: accountId, username: username ?? '', displayName: displayName ?? '' };
  return {
    session,
    sessionId: id,
    account,
    memberships: memberships ?? [],
    notices: row.notices ?? [],
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
