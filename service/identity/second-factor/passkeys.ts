import { randomUUID } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import type { Account } from '../accounts/accounts.js';
import type { PasskeyChallenges } from './passkey-challenge.js';

/** How many passkeys a user may have. */
const MAX_PASSKEYS = 20;

/** How long a browser waits for the user, in milliseconds. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * The library is loaded for the first passkey: its 270 modules are a quarter of all that a start would load. Sign-in pages do not need it:
 * they have the options of a request only.
 */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** A passkey as its user sees it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

interface PasskeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly public_key: Uint8Array;
  readonly backup_eligible: boolean | null;
  readonly transports: string[];
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

export interface PasskeysDeps {
  readonly database: Database;
  readonly challenges: PasskeyChallenges;
  /** The origin of the service: a passkey is bound to its host name. */
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** Passkeys ([WebAuthn](https://www.w3.org/TR/webauthn-3/)). They verify their user, so they are two factors in one. */
export class Passkeys {
  private readonly origin: string;
  private readonly host: string;

  constructor(private readonly deps: PasskeysDeps) {
    ({ origin: this.origin, hostname: this.host } = new URL(deps.baseUrl));
  }

  /** The passkeys of a user, oldest first. */
  async of(accountId: string): Promise<Passkey[]> {
    return (await this.rows(accountId)).map((row) => ({
      id: row.id,
      name: row.name,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }));
  }

  /**
   * The options for `navigator.credentials.create`, as JSON.
   * @param csrf the anti-forgery token of the form that will carry the response.
   */
  async creationOptions({ id, username, displayName }: Account, csrf: string): Promise<string> {
    const { generateRegistrationOptions } = await loadWebAuthn();
    const options = await generateRegistrationOptions({
      rpName: 'Creative Workspace',
      rpID: this.host,
      userID: new Uint8Array(Buffer.from(id)),
      userName: username,
      userDisplayName: displayName,
      challenge: new Uint8Array(Buffer.from(this.deps.challenges.make(csrf), 'base64url')),
      timeout: TIMEOUT_MS,
      excludeCredentials: (await this.rows(id)).map(forBrowser),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return JSON.stringify(options);
  }

  /**
   * Stores a new passkey.
   * @param also called in the same transaction, after the change.
   * @param sent the response of the browser, as JSON.
   * @returns false when it is invalid, known already or one too many.
   */
  async add(
    accountId: string,
    { sent, csrf, name }: { readonly sent: string; readonly csrf: string; readonly name: string },
    also: AlsoInTransaction,
  ): Promise<boolean> {
    const { verifyRegistrationResponse } = await loadWebAuthn();
    const response = parseCredential(sent);
    const verified =
      response &&
      (await verifyRegistrationResponse({
        response,
        expectedChallenge: (challenge) => this.deps.challenges.accept(challenge, csrf),
        expectedOrigin: this.origin,
        expectedRPID: this.host,
      }).catch(() => undefined));
    const isFull = (await this.rows(accountId)).length >= MAX_PASSKEYS;
    if (verified?.verified !== true || isFull) {
      return false;
    }
    const { credential, credentialDeviceType } = verified.registrationInfo;
    return this.deps.database.transaction(async (transaction) => {
      const added = await transaction.query(
        `INSERT INTO passkeys (id, account_id, public_key, counter, transports, name, created_at, backup_eligible)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING RETURNING id`,
        [
          ...[credential.id, accountId, credential.publicKey, credential.counter],
          ...[JSON.stringify(credential.transports ?? []), name, this.deps.now()],
          credentialDeviceType === 'multiDevice',
        ],
      );
      if (added.length > 0) {
        await also(transaction);
      }
      return added.length > 0;
    });
  }

  /**
   * The options for `navigator.credentials.get`, as JSON.
   * @param csrf the anti-forgery token of the form that will carry the response.
   * @param accountId only passkeys of this user; undefined where the passkey identifies the user.
   */
  async requestOptions(csrf: string, accountId?: string): Promise<string> {
    const known = accountId === undefined ? [] : await this.rows(accountId);
    const options: PublicKeyCredentialRequestOptionsJSON = {
      rpId: this.host,
      challenge: this.deps.challenges.make(csrf),
      timeout: TIMEOUT_MS,
      userVerification: 'required',
      allowCredentials: known.map((row) => ({ ...forBrowser(row), type: 'public-key' })),
    };
    return JSON.stringify(options);
  }

  /**
   * Checks the response of a passkey to the challenge of a form.
   * @param sent the response of the browser, as JSON.
   * @returns the id of its user, and whether its signature count shows that it may be a copy; undefined when it is not
   *   valid.
   */
  async check(
    sent: string,
    csrf: string,
  ): Promise<{ readonly accountId: string; readonly mayBeCopy: boolean } | undefined> {
    const { database, challenges, now } = this.deps;
    const response = parseCredential(sent);
    const [row] = await database.query<PasskeyRow & object>(
      'SELECT * FROM passkeys WHERE id = $1',
      [response?.id ?? randomUUID()],
    );
    if (response === undefined || row === undefined) {
      return undefined;
    }
    const { verifyAuthenticationResponse } = await loadWebAuthn();
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => challenges.accept(challenge, csrf),
      expectedOrigin: this.origin,
      expectedRPID: this.host,
      credential: {
        id: row.id,
        publicKey: new Uint8Array(row.public_key),
        // The library throws for a count that does not grow; it is compared below.
        counter: -1,
        transports: row.transports,
      },
    }).catch(() => undefined);
    if (verified?.verified !== true) {
      return undefined;
    }
    const { newCounter, credentialDeviceType } = verified.authenticationInfo;
    const isBackupEligible = row.backup_eligible ?? credentialDeviceType === 'multiDevice';
    // A passkey that is synced or restored may count from any number (WebAuthn Level 3 §6.1.1). The count and the
    // condition are compared with the stored row, as another sign-in may be under way. No row: removed, or a copy.
    const used = await database.query(
      `UPDATE passkeys SET counter = $2, last_used_at = $3, backup_eligible = $4
        WHERE id = $1 AND ($4 OR counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`,
      [row.id, newCounter, now(), isBackupEligible],
    );
    if (used.length > 0) {
      return { accountId: row.account_id, mayBeCopy: false };
    }
    const [still] = await database.query('SELECT 1 FROM passkeys WHERE id = $1', [row.id]);
    return still && { accountId: row.account_id, mayBeCopy: true };
  }

  private rows(accountId: string): Promise<PasskeyRow[]> {
    return this.deps.database.query<PasskeyRow & object>(
      'SELECT * FROM passkeys WHERE account_id = $1 ORDER BY created_at, id',
      [accountId],
    );
  }
}

/** Removes a passkey of a user. Call it in a transaction. @returns its name; undefined if they do not have it. */
export async function removePasskey(
  transaction: Queryable,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const [removed] = await transaction.query<{ name: string }>(
    'DELETE FROM passkeys WHERE account_id = $1 AND id = $2 RETURNING name',
    [accountId, id],
  );
  return removed?.name;
}

/** Removes all passkeys of a user. @returns how many there were. */
export async function removePasskeys(transaction: Queryable, accountId: string): Promise<number> {
  const removed = await transaction.query(
    'DELETE FROM passkeys WHERE account_id = $1 RETURNING id',
    [accountId],
  );
  return removed.length;
}

function forBrowser({ id, transports }: PasskeyRow): {
  id: string;
  transports: string[];
} {
  return { id, transports };
}

/** The response of a browser. Only that it is an object with an id is checked here; the library checks the rest. */
function parseCredential(
  sent: string,
): (AuthenticationResponseJSON & RegistrationResponseJSON) | undefined {
  try {
    const parsed: unknown = JSON.parse(sent);
    return hasId(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function hasId(value: unknown): value is AuthenticationResponseJSON & RegistrationResponseJSON {
  return (
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
  );
}
