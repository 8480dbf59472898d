import { Secret, TOTP } from 'otpauth';
import type { Queryable } from '../../kernel/database/database.js';
import { openSecret, sealSecret } from '../../kernel/secret-box.js';
import { foldTyped } from '../../kernel/typed-text.js';
import type { Account } from '../accounts/accounts.js';

/** The name of the service in the app. */
const ISSUER = 'Creative Workspace';

/** How many time steps of 30 seconds the clocks may differ ([RFC 6238 §5.2](https://www.rfc-editor.org/rfc/rfc6238#section-5.2)). */
const WINDOW = 1;

/** A new secret, for the app to scan or for the user to type. */
export interface NewAuthenticator {
  /** In base32. */
  readonly secret: string;
  /** An `otpauth:` URI, for a QR code. */
  readonly uri: string;
}

interface SecretRow {
  readonly secret: Uint8Array;
}

/** Authenticator apps ([RFC 6238](https://www.rfc-editor.org/rfc/rfc6238)): one for each account. */
export class AuthenticatorApps {
  /** @param key encrypts the secrets, see `secretKeys`. */
  constructor(
    private readonly database: Queryable,
    private readonly key: Uint8Array,
    private readonly now: () => Date,
  ) {}

  /** Whether sign-ins of this account need a code. */
  async isOn(accountId: string): Promise<boolean> {
    const rows = await this.database.query(
      'SELECT 1 FROM totp_secrets WHERE account_id = $1 AND confirmed_at IS NOT NULL',
      [accountId],
    );
    return rows.length > 0;
  }

  /**
   * Begins to set up an app. The secret stays the same until {@link confirm}, so that the page can be loaded again.
   * @returns undefined when the account has an app already.
   */
  async begin({ id, username }: Account): Promise<NewAuthenticator | undefined> {
    const sealed = sealSecret(this.key, new Secret({ size: 20 }).base32);
    const [row] = await this.database.query<SecretRow>(
      `INSERT INTO totp_secrets (account_id, secret, created_at) VALUES ($1, $2, $3)
       ON CONFLICT (account_id) DO UPDATE SET secret = totp_secrets.secret
        WHERE totp_secrets.confirmed_at IS NULL RETURNING secret`,
      [id, sealed, this.now()],
    );
    if (row === undefined) {
      return undefined;
    }
    const secret = openSecret(this.key, row.secret);
    return { secret, uri: totp(secret, username).toString() };
  }

  /**
   * Turns the app on, if the code is right. Call it in a transaction.
   * @returns whether it was turned on.
   */
  async confirm(transaction: Queryable, accountId: string, code: string): Promise<boolean> {
    const isRight = await this.use(transaction, accountId, code, false);
    if (isRight) {
      await transaction.query('UPDATE totp_secrets SET confirmed_at = $2 WHERE account_id = $1', [
        accountId,
        this.now(),
      ]);
    }
    return isRight;
  }

  /** Accepts a code of the app once. @returns whether the code is right and was not used before. */
  accept(accountId: string, code: string): Promise<boolean> {
    return this.use(this.database, accountId, code, true);
  }

  private async use(
    database: Queryable,
    accountId: string,
    typed: string,
    isConfirmed: boolean,
  ): Promise<boolean> {
    const token = foldTyped(typed).replaceAll(/[\s-]/g, '');
    const [row] = await database.query<SecretRow>(
      `SELECT secret FROM totp_secrets
        WHERE account_id = $1 AND (confirmed_at IS NOT NULL) = $2`,
      [accountId, isConfirmed],
    );
    if (row === undefined || !/^\d{6}$/.test(token)) {
      return false;
    }
    const timestamp = this.now().getTime();
    const app = totp(openSecret(this.key, row.secret), '');
    const delta = app.validate({ token, timestamp, window: WINDOW });
    if (delta === null) {
      return false;
    }
    // Of two requests with the same code only one changes the row.
    const used = await database.query(
      `UPDATE totp_secrets SET last_step = $2
        WHERE account_id = $1 AND last_step < $2 RETURNING account_id`,
      [accountId, app.counter({ timestamp }) + delta],
    );
    return used.length > 0;
  }
}

/** The defaults that every app supports: SHA-1, 6 digits, 30 seconds. */
function totp(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret) });
}

/** Removes the app of an account, also one that is not confirmed. @returns whether there was a confirmed one. */
export async function removeAuthenticatorApp(
  transaction: Queryable,
  accountId: string,
): Promise<boolean> {
  const rows = await transaction.query<{ is_on: boolean }>(
    `DELETE FROM totp_secrets WHERE account_id = $1 RETURNING confirmed_at IS NOT NULL AS is_on`,
    [accountId],
  );
  return rows.some((row) => row.is_on);
}
