import {
  errors,
  Provider,
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
} from 'oidc-provider';
import type { Database, Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import { isUniqueViolation } from '../../kernel/database/sql-states.js';
import {
  ENDED_INTERACTION,
  ENDED_SESSION,
  endGrant,
  lockGrant,
  type RecordRow,
} from '../../identity/index.js';
import { ClientAdapter } from './client-adapter.js';
import { emitReuse, endReusedGrant } from '../tokens/reuse-response.js';
import { recordId, opaqueId, storedPayload, hashedRecordId } from '../records/record-codec.js';
import { ACCESS_TOKEN_PREFIX, parseGrantId } from '../tokens/token-format.js';
import { WorkspaceClients } from '../clients/workspace-clients.js';

/**
 * Rows of these kinds are marked when they end, and stay until they would have expired. If they were deleted, a request
 * that had read one before could store it again.
 */
const ENDING_KINDS = new Set(['Session', 'Interaction']);

const SELECTED = 'SELECT id, payload, consumed_at FROM oidc_records WHERE kind = $1';

const FIND = {
  id: prepared(`${SELECTED} AND id = $2`),
  user_code: prepared(`${SELECTED} AND user_code = $2`),
  session_uid: prepared(`${SELECTED} AND session_uid = $2`),
} as const;

/** Writes a record. Not over a device code that was decided, or a session or interaction that has ended. */
const WRITE = prepared(
  `INSERT INTO oidc_records (kind, id, payload, grant_id, user_code, session_uid, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (kind, id) DO UPDATE SET
     payload = excluded.payload, grant_id = excluded.grant_id,
     user_code = excluded.user_code, session_uid = excluded.session_uid,
     expires_at = excluded.expires_at
   WHERE CASE oidc_records.kind
           WHEN 'DeviceCode' THEN oidc_records.payload -> 'accountId' IS NULL
             AND oidc_records.payload -> 'error' IS NULL
           WHEN 'Session' THEN oidc_records.consumed_at IS NULL
           WHEN 'Interaction' THEN oidc_records.consumed_at IS NULL
           ELSE true
         END
   RETURNING id`,
);

/**
 * Stores oidc-provider's grants, tokens, codes and sessions as rows of `oidc_records`.
 *
 * Expired rows are found as well: oidc-provider checks `exp` itself and answers `expired_token` instead of "not found".
 * Single use is a compare-and-swap in the database, so it holds for concurrent requests and several processes.
 */
export function createAdapterFactory(
  database: Database,
  now: () => Date,
  refreshKey: string,
): AdapterFactory {
  const clients = new WorkspaceClients(database, now);
  return (kind) =>
    kind === 'Client'
      ? new ClientAdapter(clients)
      : new DatabaseAdapter(kind, database, now, refreshKey);
}

class DatabaseAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    private readonly database: Database,
    private readonly now: () => Date,
    private readonly refreshKey: string,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    if (this.kind === 'DeviceCode' && isFailure(payload)) {
      return;
    }
    const expiresAt =
      expiresIn === undefined ? undefined : new Date(this.now().getTime() + expiresIn * 1000);
    const values = [
      this.kind,
      recordId(this.kind, id),
      JSON.stringify(storedPayload(this.kind, payload)),
      payload.grantId ?? null,
      payload.userCode ?? null,
      this.kind === 'Session' ? (payload.uid ?? null) : null,
      expiresAt ?? null,
    ];
    const write = (): Promise<readonly object[]> => this.database.query(WRITE, values);
    // While another request writes the record, PostgreSQL may find its user code and not its id. Then it finds both.
    const written = await write().catch((error: unknown) => {
      if (isUniqueViolation(error)) {
        return write();
      }
      throw error;
    });
    // A device code is decided once: of two concurrent decisions, the second one fails. A session that has ended in the
    // meantime stays ended; that is no error.
    if (written.length === 0 && this.kind === 'DeviceCode') {
      throw new CodeDecidedError();
    }
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    // A client revokes a token without saying of which kind it is. Tokens of the other kind need no statement.
    const grantId = this.kind === 'RefreshToken' ? parseGrantId(id, this.refreshKey) : undefined;
    if (
      (this.kind === 'RefreshToken' && grantId === undefined) ||
      (this.kind === 'AccessToken' && !id.startsWith(ACCESS_TOKEN_PREFIX))
    ) {
      return undefined;
    }
    // A marked id (record-codec.ts) is no credential. Device codes are found here for the pages of the device flow
    // alone, which have the id from their own interaction. Clients send the code itself, to device-grant.ts.
    const key =
      this.kind === 'DeviceCode' ? recordId(this.kind, id) : hashedRecordId(this.kind, id);
    const payload =
      (await this.findWhere('id', key)) ??
      (grantId === undefined ? undefined : await this.findUsed(grantId));
    if (payload === undefined) {
      return undefined;
    }
    const { returnTo } = payload;
    return {
      ...payload,
      jti: id,
      ...(this.kind === 'Interaction' && { returnTo: `${String(returnTo)}${id}` }),
    };
  }

  /**
   * A used refresh token whose row is deleted (token-exchange.ts), for a revocation. It is made from its grant.
   * @returns undefined when the grant has ended
   */
  private async findUsed(grantId: string): Promise<AdapterPayload | undefined> {
    const [grant] = await this.database.query<RecordRow>(FIND.id, ['Grant', grantId]);
    const { clientId, exp } = grant?.payload ?? {};
    return grant && { kind: 'RefreshToken', clientId, grantId, exp };
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.findWhere('user_code', userCode);
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.findWhere('session_uid', uid);
  }

  /**
   * Marks the record as used. That works once; the second use of a refresh token or code is refused, and
   * ends the whole grant ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)).
   */
  async consume(id: string): Promise<void> {
    const reuse = await this.database.transaction(async (transaction) => {
      const grantId = await this.lockGrantOf(transaction, id);
      const consumed = await transaction.query(
        `UPDATE oidc_records SET consumed_at = $3
          WHERE kind = $1 AND id = $2 AND consumed_at IS NULL RETURNING id`,
        [this.kind, recordId(this.kind, id), this.now()],
      );
      if (consumed.length > 0) {
        return undefined;
      }
      const isEnded = grantId !== undefined && (await endReusedGrant(transaction, grantId));
      return { ended: isEnded ? grantId : undefined };
    });
    const { ctx } = Provider;
    if (reuse?.ended !== undefined && ctx !== undefined) {
      emitReuse(ctx, reuse.ended);
    }
    if (reuse !== undefined) {
      throw new errors.InvalidGrant(`${this.kind} was already used`);
    }
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') {
      await endGrant(this.database, id);
      return;
    }
    if (ENDING_KINDS.has(this.kind)) {
      await this.end(id);
      return;
    }
    await this.database.transaction(async (transaction) => {
      await this.lockGrantOf(transaction, id);
      await transaction.query('DELETE FROM oidc_records WHERE kind = $1 AND id = $2', [
        this.kind,
        recordId(this.kind, id),
      ]);
    });
  }

  /**
   * Ends the whole grant. oidc-provider calls this for each kind of its tokens and codes, and finally for the grant
   * itself (`revokeGrantPolicy` in provider.ts).
   */
  async revokeByGrantId(grantId: string): Promise<void> {
    await endGrant(this.database, grantId);
  }

  /** Marks a record as ended. An interaction ends once: after a double click, the second request gets an error. */
  private async end(id: string): Promise<void> {
    const ended = await this.database.query(
      `UPDATE oidc_records SET ${this.kind === 'Session' ? ENDED_SESSION : ENDED_INTERACTION}
        WHERE kind = $1 AND id = $2 AND consumed_at IS NULL RETURNING id`,
      [this.kind, recordId(this.kind, id)],
    );
    if (ended.length === 0 && this.kind === 'Interaction') {
      throw new errors.SessionNotFound('the interaction has ended');
    }
  }

  /** Locks the grant that a record came from. Gives its id; undefined when it came from none. */
  private async lockGrantOf(transaction: Queryable, id: string): Promise<string | undefined> {
    const [row] = await transaction.query<{ grant_id: string | null }>(
      'SELECT grant_id FROM oidc_records WHERE kind = $1 AND id = $2',
      [this.kind, recordId(this.kind, id)],
    );
    const grantId = row?.grant_id ?? undefined;
    if (grantId !== undefined) {
      await lockGrant(transaction, grantId);
    }
    return grantId;
  }

  private async findWhere(
    condition: keyof typeof FIND,
    value: string,
  ): Promise<AdapterPayload | undefined> {
    const [row] = await this.database.query<RecordRow>(FIND[condition], [this.kind, value]);
    if (row === undefined) {
      return undefined;
    }
    if (row.consumed_at !== null && ENDING_KINDS.has(this.kind)) {
      return undefined;
    }
    return {
      ...row.payload,
      ...opaqueId(this.kind, row.id),
      ...(row.consumed_at !== null && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }),
    };
  }
}

/**
 * Whether oidc-provider is about to end a device code because of an error on the pages (the user's sign-in ended, a
 * button was pressed twice). Only a denial by the user ends a code. After an error the code does not change and can be
 * entered again.
 */
function isFailure({ error }: AdapterPayload): boolean {
  return error !== undefined && error !== 'access_denied';
}

/** Another user or another tab has already decided this device code. */
class CodeDecidedError extends errors.InvalidRequest {
  constructor() {
    super('the code was already used');
  }
}
