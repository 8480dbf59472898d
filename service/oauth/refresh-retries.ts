import type { Database } from '../database/database.js';
import { equalTexts, sha256 } from '../hash.js';
import { successorOf, type RefreshRequest } from './refresh-attempt.js';
import { refreshTokenOf } from './refresh-token-form.js';

/** A repeat may come this long after the first use of what was given; a later one counts as theft. */
const LATE_DUPLICATE_MS = 60_000;
/** How often one refresh may be repeated within {@link RETRY_WINDOW_MS}. */
const MOST_RETRIES = 20;
const RETRY_WINDOW_MS = 15 * 60_000;

/**
 * What a refresh with an attempt is:
 * - `first`: the token has not been used, or this is no repeat that may be answered. oidc-provider goes on as
 *   usual, which ends the grant of a token that was used before;
 * - `retry`: what the first refresh gave has been taken back, as if it had never happened;
 * - `duplicate`: what was given is in use already. Refused, and nothing ends;
 * - `too many`: refused; it may be repeated after `waitSeconds`.
 */
export type Repeat =
  | { readonly kind: 'first' | 'retry' | 'duplicate' }
  | { readonly kind: 'too many'; readonly waitSeconds: number };

interface UsedToken {
  id: string;
  grant_id: string;
  client_id: string | null;
  consumed_at: Date | null;
  refresh_attempt_sha256: string | null;
  successor_access_id: string | null;
  successor_used_at: Date | null;
  refresh_retries: number;
  refresh_retries_since: Date | null;
}

/**
 * Tells a retry of a refresh from the use of a stolen token
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). Everything is decided under the
 * lock of the grant, so that it holds between processes too. Call it in the transaction of the request.
 */
export class RefreshRetries {
  /** @param key makes the refresh tokens; see {@link successorOf} and {@link refreshTokenOf} */
  constructor(
    private readonly database: Database,
    private readonly key: string,
    private readonly now: () => Date,
  ) {}

  /** The secret of the refresh token that a refresh gives; the same each time it is asked. */
  successorOf(request: RefreshRequest): string {
    return successorOf(request, this.key);
  }

  /** The refresh token with this secret. */
  tokenOf(secret: string, grantId: string): string {
    return refreshTokenOf(secret, grantId, this.key);
  }

  /**
   * Decides what a refresh is, before oidc-provider works on it. For a retry it takes back what the first
   * one gave and nobody used, and makes the refresh token good for one use again.
   */
  async prepare(request: RefreshRequest, clientId: string): Promise<Repeat> {
    const used = await this.lock(request);
    // oxlint-disable-next-line typescript/prefer-optional-chain -- `?.` gives undefined, not null, where there is no row
    if (used === undefined || used.consumed_at === null) {
      return { kind: 'first' };
    }
    const { refresh_attempt_sha256: attempt } = used;
    if (attempt === null || used.client_id !== clientId) {
      return { kind: 'first' };
    }
    if (!equalTexts(attempt, sha256(request.attempt))) {
      return { kind: 'first' };
    }
    if (!(await this.isParent(used, request))) {
      return { kind: 'first' };
    }
    if (used.successor_used_at !== null) {
      const isLate = this.now().getTime() - used.successor_used_at.getTime() > LATE_DUPLICATE_MS;
      return { kind: isLate ? 'first' : 'duplicate' };
    }
    return this.takeBack(used, request);
  }

  /** Notes with the used refresh token what it was exchanged for. */
  async given(request: RefreshRequest, accessToken: string): Promise<void> {
    await this.database.query(
      `UPDATE oidc_records SET refresh_attempt_sha256 = $2, successor_access_id = $3
        WHERE kind = 'RefreshToken' AND id = $1`,
      [sha256(request.refreshToken), sha256(request.attempt), sha256(accessToken)],
    );
  }

  private async lock({ refreshToken }: RefreshRequest): Promise<UsedToken | undefined> {
    const id = sha256(refreshToken);
    await this.database.query(
      `SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = (
         SELECT grant_id FROM oidc_records WHERE kind = 'RefreshToken' AND id = $1
       ) FOR UPDATE`,
      [id],
    );
    const [row] = await this.database.query<UsedToken>(
      `SELECT id, grant_id, payload ->> 'clientId' AS client_id, consumed_at, refresh_attempt_sha256,
              successor_access_id, successor_used_at, refresh_retries, refresh_retries_since
         FROM oidc_records WHERE kind = 'RefreshToken' AND id = $1`,
      [id],
    );
    return row;
  }

  /** Whether the token that followed this one is still there, and not used: then it is the newest one. */
  private async isParent(used: UsedToken, request: RefreshRequest): Promise<boolean> {
    const found = await this.database.query(
      `SELECT 1 FROM oidc_records
        WHERE kind = 'RefreshToken' AND id IN ($1, $2) AND consumed_at IS NULL`,
      this.successorIds(used, request),
    );
    return found.length > 0;
  }

  /** The ids that the token after this one may have: as tokens are made now, and as the version before made them. */
  private successorIds(used: UsedToken, request: RefreshRequest): [string, string] {
    const secret = this.successorOf(request);
    return [sha256(this.tokenOf(secret, used.grant_id)), sha256(secret)];
  }

  private async takeBack(used: UsedToken, request: RefreshRequest): Promise<Repeat> {
    const now = this.now();
    const since = used.refresh_retries_since;
    const left = since === null ? 0 : since.getTime() + RETRY_WINDOW_MS - now.getTime();
    if (left > 0 && used.refresh_retries >= MOST_RETRIES) {
      return { kind: 'too many', waitSeconds: Math.ceil(left / 1000) };
    }
    // The condition is asked again by the statement: the access token may be used at this very moment.
    const unused = await this.database.query(
      `UPDATE oidc_records
          SET consumed_at = NULL, successor_access_id = NULL, refresh_retries = $2, refresh_retries_since = $3
        WHERE kind = 'RefreshToken' AND id = $1 AND successor_used_at IS NULL
        RETURNING id`,
      [used.id, left > 0 ? used.refresh_retries + 1 : 1, left > 0 ? since : now],
    );
    if (unused.length === 0) {
      return { kind: 'duplicate' };
    }
    await this.database.query(
      `DELETE FROM oidc_records
        WHERE (kind = 'RefreshToken' AND id IN ($1, $2)) OR (kind = 'AccessToken' AND id = $3)`,
      [...this.successorIds(used, request), used.successor_access_id],
    );
    return { kind: 'retry' };
  }
}
