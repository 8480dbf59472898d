import type { IncomingMessage } from 'node:http';
import type { AdapterPayload } from 'oidc-provider';
import type { AmbientDatabase } from '../database/ambient-transaction.js';
import { prepared } from '../database/prepared.js';
import { WholeRequest } from '../http/whole-request.js';
import { DEVICE_CODE, REFRESH_TOKEN } from './grant-types.js';
import { sha256 } from '../hash.js';
import type { PollLimit } from './poll-limit.js';
import { readRefreshAttempt } from './refresh-attempt.js';
import { RefreshExchange } from './refresh-exchange.js';
import type { RefreshRetries } from './refresh-retries.js';
import { grantNamedBy } from './refresh-token-form.js';
import { recordKey, type RecordRow, type RequestRecords } from './request-records.js';
import { ROUTES } from './routes.js';

/** What is read for one request; undefined for a request that needs a transaction. */
export type Read = Omit<RequestRecords, 'ended'> | undefined;

interface RefreshRow extends RecordRow {
  grant_id: string | null;
  grant_payload: AdapterPayload | null;
  account_id: string | null;
  username: string | null;
  display_name: string | null;
}

/** LATERAL with LIMIT makes the planner look the grant up; while there are few of them it would rather read all. */
const REFRESH = prepared(
  `SELECT token.id, token.payload, token.consumed_at, token.grant_id, held.payload AS grant_payload,
          accounts.id AS account_id, accounts.username, accounts.display_name
     FROM oidc_records AS token
     LEFT JOIN LATERAL (
       SELECT payload FROM oidc_records WHERE kind = 'Grant' AND id = token.grant_id LIMIT 1
     ) AS held ON true
     LEFT JOIN accounts ON accounts.id = token.payload ->> 'accountId'
    WHERE token.kind = 'RefreshToken' AND token.id = $1`,
);

const REVOCATION = prepared(
  `SELECT kind, id, payload, consumed_at FROM oidc_records
    WHERE kind IN ('AccessToken', 'RefreshToken') AND id = $1`,
);

/**
 * Reads, in one statement, all that a usual request at the token or the revocation endpoint needs. An unusual one (a
 * refresh token that was used before, a code that is redeemed) needs a transaction.
 */
export class TokenRequests {
  constructor(
    private readonly database: AmbientDatabase,
    private readonly retries: RefreshRetries,
    private readonly polls: PollLimit,
    private readonly now: () => Date,
    private readonly refreshKey: string,
  ) {}

  /** Reads for a request, before oidc-provider has looked at it. */
  async read(request: IncomingMessage): Promise<Read> {
    if (!(request instanceof WholeRequest) || request.form === undefined) {
      return undefined;
    }
    const { form, target } = request;
    if (target.path === ROUTES.revocation) {
      return this.readRevocation(form.get('token') ?? '');
    }
    const grantType = form.get('grant_type');
    if (grantType === REFRESH_TOKEN) {
      return this.readRefresh(request, form.get('refresh_token') ?? '');
    }
    return grantType === DEVICE_CODE ? this.readPoll(form.get('device_code') ?? '') : undefined;
  }

  private async readRefresh(request: IncomingMessage, refreshToken: string): Promise<Read> {
    const id = sha256(refreshToken);
    const key = recordKey('RefreshToken', id);
    const [row] = await this.database.query<RefreshRow>(REFRESH, [id]);
    if (row === undefined) {
      const wasOurs = grantNamedBy(refreshToken, this.refreshKey) !== undefined;
      return wasOurs ? undefined : { records: new Map([[key, undefined]]) };
    }
    const { grant_id: grantId, grant_payload: grant, account_id: accountId } = row;
    if (row.consumed_at !== null || grantId === null || grant === null || accountId === null) {
      return undefined;
    }
    const records = new Map<string, RecordRow>([
      [key, row],
      [recordKey('Grant', grantId), { id: grantId, payload: grant, consumed_at: null }],
    ]);
    const named = readRefreshAttempt(request);
    const exchange = new RefreshExchange(
      { database: this.database, retries: this.retries, now: this.now },
      {
        id,
        grantId,
        clientId: row.payload.clientId ?? '',
        request: typeof named === 'object' ? named : undefined,
      },
    );
    const account = {
      id: accountId,
      username: row.username ?? '',
      displayName: row.display_name ?? '',
    };
    return { records, account, exchange };
  }

  private async readPoll(deviceCode: string): Promise<Read> {
    const id = sha256(deviceCode);
    const { row, isTooFast } = await this.polls.poll(id);
    const isDecided = row?.payload.accountId !== undefined || row?.payload.error !== undefined;
    if (isDecided || (row !== undefined && row.consumed_at !== null)) {
      return undefined;
    }
    return { records: new Map([[recordKey('DeviceCode', id), row]]), isTooFast };
  }

  private async readRevocation(token: string): Promise<Read> {
    const id = sha256(token);
    const rows = await this.database.query<RecordRow & { kind: string }>(REVOCATION, [id]);
    return {
      records: new Map(
        ['AccessToken', 'RefreshToken'].map((kind) => [
          recordKey(kind, id),
          rows.find((row) => row.kind === kind),
        ]),
      ),
    };
  }
}
