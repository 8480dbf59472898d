import type { Queryable } from '../../kernel/database/database.js';
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
 *
 * By the subqueries the planner expects the same cost for every grant and time. Otherwise a server on which few connections
 * refresh often would plan each exchange for its values, which takes longer than the exchange itself.
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
      WHERE oidc_records.grant_id = (SELECT $1::text) AND oidc_records.kind = 'AccessToken'
        AND oidc_records.expires_at < (SELECT $3::timestamptz)
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

/**
 * Like {@link EXCHANGE}, for several grants at once, each named once. Without locks: only for a database with a single
 * connection. Rows are found by LATERAL and then by their place. The conditions of the joins only repeat what was found:
 * by them the planner expects one row, and reads no table from end to end, however small it is.
 */
const EXCHANGES = prepared(
  `WITH wanted AS MATERIALIZED (
     SELECT wanted.*, unused.place
       FROM jsonb_to_recordset($1) AS wanted (
              kind text, id text, grant_id text, at timestamptz, attempt text, successor text,
              access_id text, access jsonb, access_expires timestamptz,
              refresh_id text, refresh jsonb, refresh_expires timestamptz)
       JOIN LATERAL (
         SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = wanted.grant_id LIMIT 1
       ) AS held ON held.id = wanted.grant_id
       JOIN LATERAL (
         SELECT id, ctid AS place FROM oidc_records
          WHERE kind = wanted.kind AND id = wanted.id AND grant_id = wanted.grant_id
            AND consumed_at IS NULL LIMIT 1
       ) AS unused ON unused.id = wanted.id
   ), used AS (
     UPDATE oidc_records
        SET consumed_at = wanted.at, refresh_attempt_sha256 = wanted.attempt,
            successor_access_id = wanted.successor
       FROM wanted WHERE oidc_records.ctid = wanted.place
   ), gone AS (
     DELETE FROM oidc_records USING wanted CROSS JOIN LATERAL (
       SELECT ctid AS place FROM oidc_records
        WHERE grant_id = wanted.grant_id AND kind = 'RefreshToken' AND consumed_at IS NOT NULL
       OFFSET 0
     ) AS old
      WHERE oidc_records.ctid = old.place
   ), expired AS (
     DELETE FROM oidc_records USING wanted CROSS JOIN LATERAL (
       SELECT ctid AS place FROM oidc_records
        WHERE grant_id = wanted.grant_id AND kind = 'AccessToken' AND expires_at < wanted.at
       OFFSET 0
     ) AS old
      WHERE oidc_records.ctid = old.place
   ), added AS (
     INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at)
     SELECT added.kind, added.id, added.payload, grant_id, added.expires_at
       FROM wanted CROSS JOIN LATERAL (VALUES
         ('AccessToken', access_id, access, access_expires),
         ('RefreshToken', refresh_id, refresh, refresh_expires)
       ) AS added (kind, id, payload, expires_at)
      WHERE added.id IS NOT NULL
   )
   SELECT access_id FROM wanted`,
);

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

/** An exchange, and when it is made. */
export interface TimedExchange {
  readonly exchange: PendingExchange;
  readonly now: Date;
}

/**
 * Makes several exchanges in one statement, each as {@link storeExchange} does. No two may be of the same grant.
 * @param database has a single connection.
 * @returns the hashes of the access tokens that were stored.
 */
export async function storeExchanges(
  database: Queryable,
  exchanges: readonly TimedExchange[],
): Promise<ReadonlySet<string>> {
  const wanted = exchanges.map(({ exchange: { kind, id, grantId, attempt, tokens }, now }) => ({
    ...{ kind, id, grant_id: grantId, at: now },
    ...(attempt !== undefined && { attempt: sha256(attempt), successor: tokens.access.id }),
    access_id: tokens.access.id,
    access: tokens.access.payload,
    access_expires: tokens.access.expiresAt,
    refresh_id: tokens.refresh?.id,
    refresh: tokens.refresh?.payload,
    refresh_expires: tokens.refresh?.expiresAt,
  }));
  const stored = await database.query<{ access_id: string }>(EXCHANGES, [JSON.stringify(wanted)]);
  return new Set(stored.map(({ access_id: id }) => id));
}
