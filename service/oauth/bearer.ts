import type { Provider } from 'oidc-provider';
import type { Database } from '../database/database.js';
import { ACCESS_TOKEN_PREFIX } from './access-token-prefix.js';
import type { Scope } from './scopes.js';

/** On whose behalf a request to the data API is made. */
export interface Caller {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
}

/** Why a request may not pass, as RFC 6750 §3 says it. */
export interface Challenge {
  readonly status: 401 | 403;
  /** Value of the `WWW-Authenticate` header. */
  readonly header: string;
  readonly error: string;
  readonly description: string;
}

export type BearerResult = { readonly caller: Caller } | { readonly challenge: Challenge };

const REALM = 'Bearer realm="creative-workspace"';

/** Checks bearer tokens (RFC 6750) for the data API. */
export class BearerCheck {
  private readonly provider: Provider;
  private readonly database: Database;

  constructor(provider: Provider, database: Database) {
    this.provider = provider;
    this.database = database;
  }

  /**
   * Finds who calls by the `Authorization` header. The token must be live, its grant too, and one
   * of `anyOf` must be among its scopes.
   */
  async check(authorization: string | undefined, anyOf: readonly Scope[]): Promise<BearerResult> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      // RFC 6750 §3.1: a request without credentials gets a challenge without an error code.
      return refuse(401, REALM, 'invalid_token', 'an access token is required');
    }
    const caller = token.startsWith(ACCESS_TOKEN_PREFIX) ? await this.findCaller(token) : undefined;
    if (caller === undefined) {
      const description = 'the access token is unknown, expired or revoked';
      const header = `${REALM}, error="invalid_token", error_description="${description}"`;
      return refuse(401, header, 'invalid_token', description);
    }
    if (!anyOf.some((scope) => caller.scopes.has(scope))) {
      const [scope = ''] = anyOf;
      const header = `${REALM}, error="insufficient_scope", scope="${scope}"`;
      return refuse(403, header, 'insufficient_scope', `the scope ${scope} is required`);
    }
    return { caller };
  }

  private async findCaller(value: string): Promise<Caller | undefined> {
    const token = await this.provider.AccessToken.find(value);
    if (token?.isExpired !== false) return undefined;
    const [consent] = await this.database.query<{ workspace_id: string; client_id: string }>(
      `SELECT consents.workspace_id, consents.client_id
         FROM consents
         JOIN oidc_records ON oidc_records.kind = 'Grant' AND oidc_records.id = consents.grant_id
        WHERE consents.grant_id = $1 AND consents.account_id = $2`,
      [token.grantId, token.accountId],
    );
    if (consent === undefined) return undefined;
    return {
      accountId: token.accountId,
      workspaceId: consent.workspace_id,
      clientId: consent.client_id,
      scopes: token.scopes,
    };
  }
}

function refuse(
  status: Challenge['status'],
  header: string,
  error: string,
  description: string,
): BearerResult {
  return { challenge: { status, header, error, description } };
}
