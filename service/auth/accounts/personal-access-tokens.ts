import { randomUUID } from 'node:crypto';
import type { AlsoInTransaction, Database, Queryable } from '../../platform/database/database.js';
import { newSecret, sha256 } from '../../platform/hash.js';
import type { Scope } from '../scopes.js';
import { message, type Message } from '../../platform/i18n/message.js';
import { validateName } from './confusables.js';

/** Every personal access token begins with this; an OAuth access token does not. */
export const PERSONAL_TOKEN_PREFIX = 'svc_pat_';

/** The lifetimes that a user can choose, in days. */
export const PERSONAL_TOKEN_DAYS = [7, 30, 90, 365] as const;

const MAX_NAME_LENGTH = 80;

/** A personal access token as its owner sees it in the list: without the token. */
export interface PersonalToken {
  readonly id: string;
  readonly name: string;
  readonly workspaceName: string;
  /** Space-separated. */
  readonly scope: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | undefined;
}

/** On whose behalf a token acts, and where. */
export interface PersonalTokenOwner {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly scope: string;
  readonly lastUsedAt: Date | undefined;
}

/** The form input for a new token. */
export interface PersonalTokenEntry {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
  readonly days: number;
}

/** The problem with an entry, in one sentence for the user; undefined if it is valid. */
export function personalTokenEntryProblem(entry: PersonalTokenEntry): Message | undefined {
  const ofName = validateName(entry.name, MAX_NAME_LENGTH);
  if (ofName !== undefined) {
    return message('nameTheToken', { problem: ofName });
  }
  if (entry.scopes.length === 0) {
    return message('chooseTokenScopes');
  }
  const allowed: readonly number[] = PERSONAL_TOKEN_DAYS;
  return allowed.includes(entry.days) ? undefined : message('chooseExpiry');
}

/**
 * Personal access tokens, which users create for their own scripts. They work on the data API only; the OAuth endpoints
 * reject them.
 */
export class PersonalTokens {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Creates a token. It is returned only once; the database stores its hash.
   * @param also called in the same transaction, after the change.
   * @returns the token; undefined when the user is not a member of the workspace.
   */
  create(
    accountId: string,
    entry: PersonalTokenEntry,
    also?: AlsoInTransaction,
  ): Promise<string | undefined> {
    const token = PERSONAL_TOKEN_PREFIX + newSecret();
    const now = this.now();
    return this.database.transaction(async (transaction) => {
      // The lock on the membership: a transaction that ends it at this moment waits, and then deletes this token as well
      // (foreign key).
      const made = await transaction.query(
        `INSERT INTO personal_access_tokens
           (id, token_sha256, account_id, workspace_id, name, scope, created_at, expires_at)
         SELECT $1, $2, account_id, workspace_id, $5, $6, $7, $8
           FROM workspace_members WHERE account_id = $3 AND workspace_id = $4
            FOR KEY SHARE
         RETURNING id`,
        [
          randomUUID(),
          sha256(token),
          accountId,
          entry.workspaceId,
          entry.name,
          entry.scopes.join(' '),
          now,
          new Date(now.getTime() + entry.days * 24 * 3600 * 1000),
        ],
      );
      if (made.length === 0) {
        return undefined;
      }
      await also?.(transaction);
      return token;
    });
  }

  /** The user's tokens that have not expired, newest first. */
  async of(accountId: string): Promise<PersonalToken[]> {
    const rows = await this.database.query<{
      id: string;
      name: string;
      workspace_name: string;
      scope: string;
      created_at: Date;
      expires_at: Date;
      last_used_at: Date | null;
    }>(
      `SELECT personal_access_tokens.*, workspaces.name AS workspace_name
         FROM personal_access_tokens
         JOIN workspaces ON workspaces.id = personal_access_tokens.workspace_id
        WHERE account_id = $1 AND expires_at > $2
        ORDER BY personal_access_tokens.created_at DESC, personal_access_tokens.id`,
      [accountId, this.now()],
    );
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      workspaceName: row.workspace_name,
      scope: row.scope,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }));
  }

  /**
   * Revokes a token of this user. Ignores tokens of other users.
   * @param also called in the same transaction with the token, if there was one.
   */
  async revoke(
    accountId: string,
    id: string,
    also?: (
      transaction: Queryable,
      token: { readonly name: string; readonly workspaceId: string },
    ) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [ended] = await transaction.query<{ name: string; workspace_id: string }>(
        `DELETE FROM personal_access_tokens WHERE id = $1 AND account_id = $2
          RETURNING name, workspace_id`,
        [id, accountId],
      );
      if (ended !== undefined) {
        await also?.(transaction, { name: ended.name, workspaceId: ended.workspace_id });
      }
    });
  }

  /** The owner of a token; undefined when it is unknown or expired, or its owner is no longer in the workspace. */
  async ownerOf(token: string): Promise<PersonalTokenOwner | undefined> {
    const [row] = await this.database.query<{
      id: string;
      account_id: string;
      workspace_id: string;
      scope: string;
      last_used_at: Date | null;
    }>(
      `SELECT id, account_id, workspace_id, scope, last_used_at
         FROM personal_access_tokens
         JOIN workspace_members USING (workspace_id, account_id)
        WHERE token_sha256 = $1 AND expires_at > $2`,
      [sha256(token), this.now()],
    );
    return (
      row && {
        id: row.id,
        accountId: row.account_id,
        workspaceId: row.workspace_id,
        scope: row.scope,
        lastUsedAt: row.last_used_at ?? undefined,
      }
    );
  }

  /** Notes that a token was used just now. */
  async markUsed(id: string): Promise<void> {
    await this.database.query('UPDATE personal_access_tokens SET last_used_at = $2 WHERE id = $1', [
      id,
      this.now(),
    ]);
  }
}
