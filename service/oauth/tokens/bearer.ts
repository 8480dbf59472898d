import {
  PERSONAL_TOKEN_PREFIX,
  TOKEN_HOLDS,
  SESSION_COMPANY,
  isExpired,
  type PersonalTokens,
  type Scope,
} from '../../identity/index.js';
import type { Database } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import { sha256 } from '../../kernel/hash.js';
import { DPOP_ALGORITHMS, InvalidProofError, useProof, verifyProof } from './dpop.js';
import { ACCESS_TOKEN_PREFIX } from './token-format.js';

/** On whose behalf a request to the data API is made. */
export interface Principal {
  readonly accountId: string;
  readonly workspaceId: string;
  /** The app that calls; {@link PERSONAL_CLIENT} for a personal access token. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** The grant, personal token or browser session that permits the request, for {@link BearerCheck.isStillAuthorized}. */
  readonly permission: { readonly kind: 'grant' | 'personal' | 'session'; readonly id: string };
}

/** Used in place of a client id. Client ids cannot contain a colon. */
export const PERSONAL_CLIENT = 'personal:token';

/** Used in place of a client id for uploads from the pages of the service. */
export const BROWSER_CLIENT = 'browser:upload';

/** The parts of a request that show who sends it. */
export interface ApiCredentials {
  readonly authorization: string | undefined;
  /** The value of the `DPoP` header. */
  readonly proof: string | undefined;
  /** The method as it was sent. */
  readonly method: string;
  /** The path with the query, or the whole address. Its host does not count. */
  readonly target: string;
}

/** Why a request is refused, in the terms of [RFC 6750 §3](https://www.rfc-editor.org/rfc/rfc6750#section-3). */
export interface Challenge {
  readonly status: 401 | 403;
  /** Value of the `WWW-Authenticate` header. */
  readonly header: string;
  readonly error: string;
  readonly description: string;
}

export type BearerResult = { readonly caller: Principal } | { readonly challenge: Challenge };

const AUTHORIZATION = /^(Bearer|DPoP) +(\S+)$/i;

const INVALID = 'the access token is unknown, expired or revoked';

interface TokenRow {
  id: string;
  /** `jkt`: the thumbprint of the key that the token is bound to. */
  payload: { readonly exp?: number; readonly scope?: string; readonly jkt?: string };
  grant_id: string;
  account_id: string;
  client_id: string;
  workspace_id: string;
  last_used_at: Date | null;
  /** The refresh token that was exchanged for this access token, while this access token is unused. */
  refreshed_id: string | null;
}

/**
 * Finds an access token with an existing grant whose owner is still a member of the workspace. LATERAL with
 * LIMIT makes the planner look up the grant and its refresh token; while there are few of them it would rather read all.
 */
const TOKEN = prepared(
  `SELECT token.id, token.payload, consents.grant_id, consents.account_id, consents.client_id,
          consents.workspace_id, consents.last_used_at, refreshed.id AS refreshed_id
     FROM oidc_records AS token
     JOIN consents ON consents.grant_id = token.grant_id
      AND consents.account_id = token.payload ->> 'accountId'
    CROSS JOIN LATERAL (
       SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = consents.grant_id LIMIT 1
     ) AS held
     JOIN workspace_members
       ON workspace_members.workspace_id = consents.workspace_id
      AND workspace_members.account_id = consents.account_id
     LEFT JOIN LATERAL (
       SELECT id FROM oidc_records
        WHERE grant_id = token.grant_id AND kind = 'RefreshToken'
          AND successor_access_id = token.id AND successor_used_at IS NULL LIMIT 1
     ) AS refreshed ON true
    WHERE token.kind = 'AccessToken' AND token.id = $1`,
);

/** Takes its rows in the order in which `end_grant` takes them, so that neither can wait for the other. */
const USED = prepared(
  `WITH noted AS (
     UPDATE oidc_records SET successor_used_at = COALESCE(successor_used_at, $3)
      WHERE kind = 'RefreshToken' AND id = $1 AND successor_access_id = $2 RETURNING id
   ), used AS (
     UPDATE consents SET last_used_at = $3 WHERE grant_id = $4
   )
   SELECT id FROM noted`,
);

/** "Last used" is kept to the minute: not every request has to write. */
const LAST_USED_STEP_MS = 60_000;

/**
 * Checks bearer tokens ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)) for the data API: OAuth access
 * tokens and personal ones. A token that is bound to a key needs a proof of that key
 * ([RFC 9449 §7](https://www.rfc-editor.org/rfc/rfc9449#section-7)). Others need no more work than before.
 */
export class BearerCheck {
  /**
   * The answer to a token that is unknown or has ended
   * ([RFC 6750 §3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)).
   */
  readonly invalidToken: Challenge;
  private readonly scheme: string;
  private readonly boundScheme: string;

  /**
   * @param baseUrl the origin of the addresses in proofs
   * @param resourceMetadata the address of the metadata that challenges name
   *   ([RFC 9728 §5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)).
   */
  constructor(
    private readonly database: Database,
    private readonly personalTokens: PersonalTokens,
    private readonly baseUrl: string,
    resourceMetadata: string,
    private readonly now: () => Date,
  ) {
    const parameters = `realm="creative-workspace", resource_metadata="${resourceMetadata}"`;
    this.scheme = `Bearer ${parameters}`;
    this.boundScheme = `DPoP ${parameters}, algs="${DPOP_ALGORITHMS.join(' ')}"`;
    this.invalidToken = {
      status: 401,
      header: `${this.scheme}, error="invalid_token", error_description="${INVALID}"`,
      error: 'invalid_token',
      description: INVALID,
    };
  }

  /**
   * Finds the caller by the `Authorization` header. The token and its grant must be valid, and their owner must still
   * be a member of the workspace.
   * @param anyOf the token needs one of these scopes; with `any` its scopes do not matter.
   */
  async check(credentials: ApiCredentials, anyOf: readonly Scope[] | 'any'): Promise<BearerResult> {
    const [, scheme, token] = AUTHORIZATION.exec(credentials.authorization ?? '') ?? [];
    if (token === undefined) {
      // RFC 6750 §3.1: a request without credentials gets a challenge without an error code.
      return refuse(401, this.scheme, 'invalid_token', 'an access token is required');
    }
    const isBound = scheme?.toLowerCase() === 'dpop';
    let caller: Principal | undefined;
    try {
      caller = await this.findCaller(token, isBound ? credentials : undefined);
    } catch (error) {
      if (error instanceof InvalidProofError) {
        return this.refuseBound('invalid_dpop_proof', error.message);
      }
      throw error;
    }
    if (caller === undefined) {
      return isBound
        ? this.refuseBound('invalid_token', INVALID)
        : { challenge: this.invalidToken };
    }
    if (anyOf !== 'any' && !anyOf.some((scope) => caller.scopes.has(scope))) {
      return { challenge: this.insufficientScope(anyOf[0] ?? '') };
    }
    return { caller };
  }

  private refuseBound(error: string, description: string): BearerResult {
    const header = `${this.boundScheme}, error="${error}", error_description="${description}"`;
    return refuse(401, header, error, description);
  }

  /** The answer to a token that lacks a scope. */
  insufficientScope(scope: string): Challenge {
    const header = `${this.scheme}, error="insufficient_scope", scope="${scope}"`;
    const description = `the scope ${scope} is required`;
    return { status: 403, header, error: 'insufficient_scope', description };
  }

  /**
   * Whether a long request may continue. The grant or the personal token must still exist, and its owner must still be
   * in the workspace. A grant ends when any of its tokens is revoked. The access token may have expired: it was valid
   * when the request began, and requests have a separate time limit.
   */
  async isStillAuthorized({ accountId, workspaceId, permission }: Principal): Promise<boolean> {
    if (permission.kind === 'session') {
      const rows = await this.database.query(
        `SELECT 1 FROM oidc_records AS session
           JOIN workspace_members ON account_id = session.payload ->> 'accountId'
          WHERE session.kind = 'Session' AND session.id = $1 AND consumed_at IS NULL
            AND account_id = $2 AND workspace_id = $3
            AND COALESCE(${SESSION_COMPANY}, workspace_id) = workspace_id`,
        [permission.id, accountId, workspaceId],
      );
      return rows.length > 0;
    }
    const found =
      permission.kind === 'grant'
        ? await this.database.query(
            `SELECT 1 FROM consents
               JOIN oidc_records ON oidc_records.kind = 'Grant' AND oidc_records.id = consents.grant_id
               JOIN workspace_members USING (workspace_id, account_id)
              WHERE consents.grant_id = $1 AND account_id = $2 AND workspace_id = $3`,
            [permission.id, accountId, workspaceId],
          )
        : await this.database.query(
            `SELECT 1 FROM personal_access_tokens
              WHERE id = $1 AND account_id = $2 AND workspace_id = $3 AND ${TOKEN_HOLDS}`,
            [permission.id, accountId, workspaceId],
          );
    return found.length > 0;
  }

  /**
   * @param bound the request, if it presents the token as bound to a key
   * @throws {InvalidProofError}
   */
  private async findCaller(
    token: string,
    bound: ApiCredentials | undefined,
  ): Promise<Principal | undefined> {
    if (token.startsWith(ACCESS_TOKEN_PREFIX)) {
      return this.findByAccessToken(token, bound);
    }
    if (token.startsWith(PERSONAL_TOKEN_PREFIX) && bound === undefined) {
      return this.findByPersonalToken(token);
    }
    return undefined;
  }

  private async findByAccessToken(
    value: string,
    bound: ApiCredentials | undefined,
  ): Promise<Principal | undefined> {
    const id = sha256(value);
    const [row] = await this.database.query<TokenRow>(TOKEN, [id]);
    if (row === undefined) {
      return undefined;
    }
    const { payload, grant_id: grantId } = row;
    // A bound token is no Bearer token, or a thief could use it as one. An unbound token needs no proof, so a proof
    // shows nothing about its sender.
    if (isExpired(payload) || (payload.jkt === undefined) !== (bound === undefined)) {
      return undefined;
    }
    if (bound !== undefined && !(await this.checkProof(value, payload.jkt, bound))) {
      return undefined;
    }
    if (!(await this.recordUse(row, grantId))) {
      return undefined;
    }
    return {
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      clientId: row.client_id,
      scopes: new Set(payload.scope?.split(' ')),
      permission: { kind: 'grant', id: grantId },
    };
  }

  /**
   * Whether the sender of a token has the key that the token is bound to. The proof is used up.
   * @throws {InvalidProofError}
   */
  private async checkProof(
    token: string,
    thumbprint: string | undefined,
    { proof, method, target }: ApiCredentials,
  ): Promise<boolean> {
    const { pathname } = new URL(target, this.baseUrl);
    const url = new URL(pathname, this.baseUrl);
    const proven = await verifyProof({ proof, method, url }, token);
    if (proven.thumbprint !== thumbprint) {
      return false;
    }
    await useProof(this.database, proven);
    return true;
  }

  /**
   * Records the first use of an access token in the row of its refresh token, before any response. From then on that
   * refresh cannot be repeated. Also records the use of the grant, once a minute.
   * @returns whether the token is still valid: a repeat of the refresh may have ended it.
   */
  private async recordUse(row: TokenRow, grantId: string): Promise<boolean> {
    const isDue = this.isDue(row.last_used_at ?? undefined);
    if (row.refreshed_id === null && !isDue) {
      return true;
    }
    const noted = await this.database.query(USED, [
      row.refreshed_id,
      row.id,
      this.now(),
      isDue ? grantId : null,
    ]);
    return row.refreshed_id === null || noted.length > 0;
  }

  private async findByPersonalToken(value: string): Promise<Principal | undefined> {
    const owner = await this.personalTokens.ownerOf(value);
    if (owner === undefined) {
      return undefined;
    }
    if (this.isDue(owner.lastUsedAt)) {
      await this.personalTokens.markUsed(owner.id);
    }
    return {
      accountId: owner.accountId,
      workspaceId: owner.workspaceId,
      clientId: PERSONAL_CLIENT,
      scopes: new Set(owner.scope.split(' ')),
      permission: { kind: 'personal', id: owner.id },
    };
  }

  private isDue(lastUsedAt: Date | undefined): boolean {
    return this.now().getTime() - (lastUsedAt?.getTime() ?? 0) > LAST_USED_STEP_MS;
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
