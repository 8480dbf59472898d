import { errors, type AdapterPayload, type TokenEndpointGrantContext } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import { ALL_SCOPES, API_RESOURCE, isExpired } from '../../identity/index.js';

type Client = TokenEndpointGrantContext['oidc']['client'];

/** A refresh token or device code, with the grant that it came from. */
export interface Credential {
  /** Hash of the credential. */
  readonly id: string;
  readonly grantId: string;
  readonly payload: AdapterPayload;
  readonly isUsed: boolean;
  readonly grant: GrantPayload;
  /** Whether the user's account exists. */
  readonly hasAccount: boolean;
}

/** The payload of a grant, as oidc-provider stores it. */
interface GrantPayload {
  readonly accountId?: string;
  readonly clientId?: string;
  readonly iat?: number;
  readonly exp?: number;
  /** Scopes, space-separated, by resource. */
  readonly resources?: Readonly<Record<string, string>>;
}

interface CredentialRow {
  grant_payload: GrantPayload;
  payload: AdapterPayload | null;
  consumed_at: Date | null;
  account_id: string | null;
}

/** LATERAL with LIMIT makes the planner use the index also while the table is small. */
const CREDENTIAL = prepared(
  `SELECT held.payload AS grant_payload, credential.payload, credential.consumed_at,
          accounts.id AS account_id
     FROM oidc_records AS held
     LEFT JOIN LATERAL (
       SELECT payload, consumed_at FROM oidc_records
        WHERE kind = $1 AND id = $2 AND grant_id = $3 LIMIT 1
     ) AS credential ON true
     LEFT JOIN accounts ON accounts.id = held.payload ->> 'accountId'
    WHERE held.kind = 'Grant' AND held.id = $3`,
);

/**
 * Reads a credential with its grant, in one statement. A credential of this grant that has no row is a used refresh
 * token (token-exchange.ts); it has the grant's owner, client and life.
 * @param id hash of the credential
 * @returns undefined when the grant has ended
 */
export async function findCredential(
  database: Queryable,
  kind: 'RefreshToken' | 'DeviceCode',
  id: string,
  grantId: string,
): Promise<Credential | undefined> {
  const [row] = await database.query<CredentialRow>(CREDENTIAL, [kind, id, grantId]);
  if (row === undefined) {
    return undefined;
  }
  const { grant_payload: grant, payload } = row;
  const { accountId, clientId, exp } = grant;
  return {
    id,
    grantId,
    payload: payload ?? { accountId, clientId, exp },
    isUsed: payload === null || row.consumed_at !== null,
    grant,
    hasAccount: row.account_id !== null,
  };
}

/**
 * Checks that the credential belongs to this client.
 * @throws {InvalidGrant}
 */
export function checkClient(
  client: Client,
  { clientId }: { readonly clientId?: string | undefined },
): void {
  if (clientId !== client.clientId) {
    throw new errors.InvalidGrant('client mismatch');
  }
}

/**
 * Checks that the grant is good, for this client and for the user to whom the credential was issued.
 * @param label names the credential in the error
 * @throws {InvalidGrant}
 */
export function checkGrant(client: Client, credential: Credential, label: string): void {
  const { grant, payload, hasAccount } = credential;
  if (isExpired(grant)) {
    throw new errors.InvalidGrant('grant is expired');
  }
  checkClient(client, grant);
  if (!hasAccount) {
    throw new errors.InvalidGrant(`${label} invalid (referenced account not found)`);
  }
  if (payload.accountId !== grant.accountId) {
    throw new errors.InvalidGrant('accountId mismatch');
  }
}

/**
 * The scopes of an access token, space-separated: those that are requested, granted and still offered. There is one
 * resource ([RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)).
 * @param requested space-separated
 * @param resource the request's `resource`, if it has one
 * @throws {InvalidTarget} for another resource
 */
export function scopeOf({ grant }: Credential, requested: string, resource: unknown): string {
  if (typeof resource === 'string' && resource !== API_RESOURCE) {
    throw new errors.InvalidTarget();
  }
  const wanted = new Set(requested.split(' '));
  const granted = grant.resources?.[API_RESOURCE]?.split(' ') ?? [];
  return granted
    .filter((scope) => wanted.has(scope) && ALL_SCOPES.some((offered) => offered === scope))
    .join(' ');
}
