import { errors } from 'oidc-provider';
import type { AmbientDatabase } from '../database/ambient-transaction.js';
import { withKnownOutcome } from '../database/known-outcome.js';
import { prepared } from '../database/prepared.js';
import { sha256 } from '../hash.js';
import type { RefreshRequest } from './refresh-attempt.js';
import { refuseRepeat } from './refresh-repeat.js';
import type { RefreshRetries } from './refresh-retries.js';
import type { Exchange, NewRecord } from './request-records.js';
import { endReusedGrant, tellOfReuse } from './reuse.js';
import { NAMES_GRANT } from './stored-payload.js';

/**
 * Marks a refresh token as used and stores what it is exchanged for. Does neither when the token was used meanwhile, or
 * its grant has ended. The grant is locked first, as everywhere (see `lockGrant`).
 *
 * Of the used refresh tokens only the last one is kept: that refresh may be asked for again, as long as what it gave is
 * unused. Older ones are recognised without their rows (refresh-token-form.ts), which are deleted here together with
 * expired access tokens. So a connection has a handful of rows, however often it refreshes.
 */
const EXCHANGE = prepared(
  `WITH held AS MATERIALIZED (
     SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = $1 FOR UPDATE
   ), used AS (
     UPDATE oidc_records
        SET consumed_at = $3, refresh_attempt_sha256 = $4, successor_access_id = $5
       FROM held
      WHERE oidc_records.kind = 'RefreshToken' AND oidc_records.id = $2
        AND oidc_records.grant_id = held.id AND oidc_records.consumed_at IS NULL
      RETURNING oidc_records.id
   ), gone AS (
     DELETE FROM oidc_records USING used
      WHERE oidc_records.grant_id = $1 AND oidc_records.id <> used.id
        AND oidc_records.kind = 'RefreshToken' AND oidc_records.consumed_at IS NOT NULL
        AND oidc_records.payload -> '${NAMES_GRANT}' IS NOT NULL
   ), expired AS (
     DELETE FROM oidc_records USING used
      WHERE oidc_records.grant_id = $1 AND oidc_records.kind = 'AccessToken'
        AND oidc_records.expires_at < $3
   )
   INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at)
   SELECT added.kind, added.id, added.payload, $1, added.expires_at
     FROM used CROSS JOIN (VALUES
       ('RefreshToken', $6::text, $7::jsonb, $8::timestamptz),
       ('AccessToken', $9::text, $10::jsonb, $11::timestamptz)
     ) AS added (kind, id, payload, expires_at)
   RETURNING id`,
);

const STORED = `SELECT id FROM oidc_records WHERE kind = 'RefreshToken' AND id = $1`;

export interface RefreshExchangeParts {
  readonly database: AmbientDatabase;
  readonly retries: RefreshRetries;
  readonly now: () => Date;
}

/** The refresh token that is exchanged. */
interface Exchanged {
  /** Its hash. */
  readonly id: string;
  readonly grantId: string;
  /** The client that has it, which oidc-provider compares with the one that asks. */
  readonly clientId: string;
  /** The refresh as it can be asked for again; undefined when the client named no attempt. */
  readonly request: RefreshRequest | undefined;
}

/**
 * A refresh whose token was found unused. All that it writes is written by one statement, which checks that the token
 * is still unused. If it is not, either the same refresh was asked for twice at a time, or two use the token. Which of
 * them, is decided under the lock of the grant.
 */
export class RefreshExchange implements Exchange {
  private successor: NewRecord | undefined;

  constructor(
    private readonly parts: RefreshExchangeParts,
    private readonly exchanged: Exchanged,
  ) {}

  uses(id: string): boolean {
    return id === this.exchanged.id;
  }

  /** @throws {InvalidGrant} when the refresh token was used by somebody else meanwhile; then its grant ends. */
  async store(record: NewRecord): Promise<void> {
    if (record.kind !== 'AccessToken') {
      this.successor = record;
      return;
    }
    const { successor } = this;
    if (successor === undefined) {
      throw new Error('oidc-provider no longer stores the refresh token before the access token');
    }
    const isStored = await withKnownOutcome(
      () => this.write(successor, record),
      // In this order: the second write waits for the first one, if that is still running.
      async () => (await this.write(successor, record)) || this.isStored(successor),
    );
    if (!isStored && !(await this.decideAgain(successor, record))) {
      throw new errors.InvalidGrant('refresh token already used');
    }
  }

  /** Whether this successor was stored. Nobody has it yet, so nobody else can have stored or used it. */
  private async isStored(successor: NewRecord): Promise<boolean> {
    const stored = await this.parts.database.query(STORED, [successor.id]);
    return stored.length > 0;
  }

  private async decideAgain(successor: NewRecord, accessToken: NewRecord): Promise<boolean> {
    const { database, retries } = this.parts;
    const { grantId, clientId, request } = this.exchanged;
    const outcome = await database.together(async () => {
      if (request !== undefined) {
        refuseRepeat(await retries.prepare(request, clientId));
        if (await this.write(successor, accessToken)) {
          return 'stored';
        }
      }
      return (await endReusedGrant(database, grantId)) ? 'reused' : 'ended';
    });
    if (outcome === 'reused') {
      tellOfReuse(grantId);
    }
    return outcome === 'stored';
  }

  private async write(successor: NewRecord, accessToken: NewRecord): Promise<boolean> {
    const { id, grantId, request } = this.exchanged;
    const stored = await this.parts.database.query(EXCHANGE, [
      grantId,
      id,
      this.parts.now(),
      request === undefined ? null : sha256(request.attempt),
      request === undefined ? null : accessToken.id,
      ...[successor, accessToken].flatMap((record) => [
        record.id,
        record.payload,
        record.expiresAt ?? null,
      ]),
    ]);
    return stored.length > 0;
  }
}
