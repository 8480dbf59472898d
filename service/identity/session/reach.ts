import type { BrowserSession } from './browser-session.js';

/**
 * What a session reaches. A session that a company opened reaches one workspace: the provider of the company can sign in
 * as any of its users, who may have other workspaces.
 */
export interface Reach {
  readonly accountId: string;
  /** The only workspace; undefined for the user's own sign-in, which reaches everything. */
  readonly company?: string | undefined;
}

/** The reach of the session of a signed-in user. */
export function reachOf({
  account,
  session,
}: {
  readonly account: { readonly id: string };
  readonly session: Pick<BrowserSession, 'company'>;
}): Reach {
  return { accountId: account.id, company: session.company };
}

/** The workspace whose company account opened a session, in SQL. `session` is its row in `oidc_records`. */
export const SESSION_COMPANY = `(SELECT substring(method FROM 9)
   FROM jsonb_array_elements_text(session.payload -> 'amr') AS method WHERE method LIKE 'company:%' LIMIT 1)`;
