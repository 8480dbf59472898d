import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { endBrowserSessionsOf } from '../session/browser-session.js';
import { sha256 } from '../../kernel/hash.js';
import { setPasswordHash, type Account } from '../accounts/accounts.js';
import { revokeApps } from '../access/revoke-access.js';
import { makeLinkToken } from '../invitations/one-time-token.js';

/** How long a link to choose a new password is valid, in milliseconds. */
const RESET_MS = 3_600_000;

/** The access that ends with the old password. */
export interface Endings {
  /** All browser sessions and unfinished sign-ins of the user. */
  readonly browsers: boolean;
  /** Connected apps and personal access tokens. */
  readonly apps: boolean;
}

/** Changes passwords: with the old password or with a reset link. */
export class PasswordChanges {
  /**
   * @param settle waits until sign-ins whose password was checked already have become sessions.
   */
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
    private readonly settle: () => Promise<void>,
  ) {}

  /**
   * Changes a password with the old one.
   * @param from hash of the old password; `to` is that of the new one. Nothing changes when the stored hash is no
   *   longer `from`, after a concurrent change.
   * @param also called in the same transaction, after the change.
   * @returns whether the password was changed.
   */
  async change(
    accountId: string,
    { from, to }: { readonly from: string; readonly to: string },
    endings: Endings,
    also?: AlsoInTransaction,
  ): Promise<boolean> {
    const changed = await this.database.transaction(async (transaction) => {
      const isSet = await setPasswordHash(transaction, accountId, { from, to });
      if (isSet) {
        await end(transaction, accountId, endings);
        await also?.(transaction);
      }
      return isSet;
    });
    if (changed) {
      await this.revokeLate(accountId, endings);
    }
    return changed;
  }

  /** Creates the token of a password reset link. It replaces the user's earlier one. */
  async makeReset(accountId: string): Promise<string> {
    const token = makeLinkToken('svc_rst_');
    await this.database.query(
      `INSERT INTO password_resets (account_id, token_sha256, expires_at) VALUES ($1, $2, $3)
       ON CONFLICT (account_id) DO UPDATE
         SET token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
      [accountId, sha256(token), new Date(this.now().getTime() + RESET_MS)],
    );
    return token;
  }

  /** The account that the token of a link is for; undefined when the token is unknown, used, replaced or expired. */
  async findReset(token: string): Promise<Account | undefined> {
    const [row] = await this.database.query<{
      id: string;
      username: string;
      display_name: string;
    }>(
      `SELECT accounts.id, username, display_name
         FROM password_resets JOIN accounts ON accounts.id = password_resets.account_id
        WHERE token_sha256 = $1 AND expires_at > $2`,
      [sha256(token), this.now()],
    );
    return row && { id: row.id, username: row.username, displayName: row.display_name };
  }

  /**
   * Sets a new password with the token of a link, which then stops working.
   * @param to hash of the new password.
   * @param also called in the same transaction, after the change.
   * @returns false when the link does not work any more; nothing was changed then.
   */
  async reset(
    token: string,
    to: string,
    endings: Endings,
    also?: AlsoInTransaction,
  ): Promise<boolean> {
    const accountId = await this.database.transaction(async (transaction) => {
      // First the account, as in every change of a password: otherwise two could wait for each other.
      await transaction.query(
        `SELECT 1 FROM accounts
          WHERE id = (SELECT account_id FROM password_resets WHERE token_sha256 = $1)
          FOR NO KEY UPDATE`,
        [sha256(token)],
      );
      const [used] = await transaction.query<{ account_id: string }>(
        `DELETE FROM password_resets WHERE token_sha256 = $1 AND expires_at > $2
          RETURNING account_id`,
        [sha256(token), this.now()],
      );
      if (used !== undefined) {
        await setPasswordHash(transaction, used.account_id, { to });
        await end(transaction, used.account_id, endings);
        await also?.(transaction);
      }
      return used?.account_id;
    });
    if (accountId !== undefined) {
      await this.revokeLate(accountId, endings);
    }
    return accountId !== undefined;
  }

  /** Ends access once more: a sign-in whose old password was checked just before the change has become a session. */
  private async revokeLate(accountId: string, endings: Endings): Promise<void> {
    if (endings.browsers) {
      await this.settle();
      await this.database.transaction((transaction) => end(transaction, accountId, endings));
    }
  }
}

async function end(transaction: Queryable, accountId: string, endings: Endings): Promise<void> {
  if (endings.browsers) {
    await endBrowserSessionsOf(transaction, accountId);
  }
  if (endings.apps) {
    await revokeApps(transaction, accountId);
  }
}
