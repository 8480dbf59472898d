import type { Database, Queryable } from '../../kernel/database/database.js';
import { withKnownOutcome } from '../../kernel/database/known-outcome.js';
import { prepared } from '../../kernel/database/prepared.js';
import { sha256 } from '../../kernel/hash.js';
import type { IssuedTokens } from './issued-tokens.js';

/** A credential that is exchanged for tokens. It can be used once. */
export interface PendingExchange {
  readonly kind: 'RefreshToken' | 'DeviceCode';
  /** Hash of the credential. */
  readonly id: string;
  readonly grantId: string;
  /** The value of `refresh_attempt`; undefined when the client sent none. */
  readonly attempt: string | undefined;
  readonly tokens: IssuedTokens;
}

/**
 * Marks a credential as used and stores the tokens. Does neither when the credential is used already or its grant has
 * ended. The grant is locked first, as everywhere (see `lockGrant`).
 *
 * Of the used refresh tokens only the last one is kept: that refresh can be repeated while its tokens are unused. Older
 * ones are recognised without their rows (token-format.ts). They are deleted here, with expired access tokens. So a
 * connection has a handful of rows, however often it refreshes.
 */
const EXCHANGE = prepared(
  `WITH held AS MATERIALIZED (
     SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = $1 FOR UPDATE
   ), used AS (
     UPDATE oidc_records
        SET consumed_at = $3, refresh_attempt_sha256 = $4, successor_access_id = $5
       FROM held
      WHERE oidc_records.kind = $12 AND oidc_records.id = $2
        AND oidc_records.grant_id = held.id AND oidc_records.consumed_at IS NULL
      RETURNING oidc_records.id
   ), gone AS (
     DELETE FROM oidc_records USING used
      WHERE oidc_records.grant_id = $1 AND oidc_records.id <> used.id
        AND oidc_records.kind = 'RefreshToken' AND oidc_records.consumed_at IS NOT NULL
   ), expired AS (
     DELETE FROM oidc_records USING used
      WHERE oidc_records.grant_id = $1 AND oidc_records.kind = 'AccessToken'
        AND oidc_records.expires_at < $3
   )
   INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at)
   SELECT added.kind, added.id, added.payload, $1, added.expires_at
     FROM used CROSS JOIN (VALUES
       ('AccessToken', $6::text, $7::jsonb, $8::timestamptz),
       ('RefreshToken', $9::text, $10::jsonb, $11::timestamptz)
     ) AS added (kind, id, payload, expires_at)
    WHERE added.id IS NOT NULL
   RETURNING id`,
);

const STORED = `SELECT id FROM oidc_records WHERE kind = 'AccessToken' AND id = $1`;

/**
 * Exchanges a credential for tokens, in one statement.
 * @returns false when the credential is used or its grant has ended; then nothing was stored.
 */
export async function storeExchange(
  database: Queryable,
  { kind, id, grantId, attempt, tokens }: PendingExchange,
  now: Date,
): Promise<boolean> {
  const { access, refresh } = tokens;
  const stored = await database.query(EXCHANGE, [
    grantId,
    id,
    now,
    attempt === undefined ? null : sha256(attempt),
    attempt === undefined ? null : access.id,
    access.id,
    JSON.stringify(access.payload),
    access.expiresAt,
    refresh?.id ?? null,
    refresh === undefined ? null : JSON.stringify(refresh.payload),
    refresh?.expiresAt ?? null,
    kind,
  ]);
  return stored.length > 0;
}

/**
 * Like {@link storeExchange}. When the connection to the database is lost before the outcome is known, waits until the
 * database is back, and finds it out.
 * @throws {UnknownOutcomeError} when the database stays away for too long.
 */
export function storeExchangeIdempotently(
  database: Database,
  exchange: PendingExchange,
  now: Date,
): Promise<boolean> {
  const store = (): Promise<boolean> => storeExchange(database, exchange, now);
  return withKnownOutcome(
    store,
    // In this order: the second write waits for the first one, if that is still running.
    async () => (await store()) || isStored(database, exchange.tokens),
  );
}

/** Whether these tokens were stored. No client has them yet, so no one else can have stored or ended them. */
async function isStored(database: Database, { access }: IssuedTokens): Promise<boolean> {
  return (await database.query(STORED, [access.id])).length > 0;
}
