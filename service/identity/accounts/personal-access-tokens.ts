import { randomUUID } from 'node:crypto';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { newSecret, sha256 } from '../../kernel/hash.js';
import type { Scope } from '../scopes.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { workspaceNeedsSecondFactor } from '../second-factor/second-factor.js';
import { holdLink } from '../session/browser-session.js';
import type { Reach } from '../session/reach.js';
import { validateName } from './names.js';

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

/** How the creator of a token signed in. */
export interface TokenOrigin {
  /** The workspace whose company account opened the session, see `Reach`. */
  readonly company?: string | undefined;
  /** Whether the user has just proved a second factor. */
  readonly hasSecondFactor?: boolean;
}

/** Whether the creator of a token has a second factor, or the workspace needs none. */
const HAS_FACTOR = `(NOT workspaces.needs_second_factor
   OR EXISTS (SELECT 1 FROM passkeys WHERE passkeys.account_id = workspace_members.account_id)
   OR EXISTS (SELECT 1 FROM totp_secrets WHERE totp_secrets.account_id = workspace_members.account_id
                 AND confirmed_at IS NOT NULL))`;

/** A personal access token works while this holds. It is deleted with the membership of its creator. */
export const TOKEN_HOLDS = `EXISTS (
  SELECT 1 FROM workspace_members JOIN workspaces ON workspaces.id = workspace_members.workspace_id
   WHERE workspace_members.workspace_id = personal_access_tokens.workspace_id
     AND workspace_members.account_id = personal_access_tokens.account_id
     AND workspaces.allows_personal_tokens AND ${HAS_FACTOR})`;

/** Why nobody can create a token for a workspace in this session; undefined if it is possible. */
export async function tokenRefusal(
  database: Queryable,
  workspaceId: string,
  { hasSecondFactor = false }: TokenOrigin,
): Promise<Message | undefined> {
  if (!(await allowsTokens(database, workspaceId))) {
    return message('tokensForbidden');
  }
  const lacksFactor = !hasSecondFactor && (await workspaceNeedsSecondFactor(database, workspaceId));
  return lacksFactor ? message('tokenNeedsFactor') : undefined;
}

/** Whether members may create personal access tokens for a workspace. */
export async function allowsTokens(database: Queryable, workspaceId: string): Promise<boolean> {
  const found = await database.query(
    'SELECT 1 FROM workspaces WHERE id = $1 AND allows_personal_tokens',
    [workspaceId],
  );
  return found.length > 0;
}

/** Sets whether members may create personal access tokens for a workspace. Without it, those that exist end. */
export async function setAllowsTokens(
  transaction: Queryable,
  workspaceId: string,
  isAllowed: boolean,
): Promise<boolean> {
  const changed = await transaction.query(
    `UPDATE workspaces SET allows_personal_tokens = $2
      WHERE id = $1 AND allows_personal_tokens <> $2 RETURNING id`,
    [workspaceId, isAllowed],
  );
  if (!isAllowed) {
    await transaction.query('DELETE FROM personal_access_tokens WHERE workspace_id = $1', [
      workspaceId,
    ]);
  }
  return changed.length > 0;
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
   * @param origin a token that a company's session created ends with the link of the company account.
   * @returns the token; undefined when the user is not a member of the workspace, the session does not reach it, or the
   *   workspace refuses it, see {@link tokenRefusal}.
   */
  create(
    accountId: string,
    entry: PersonalTokenEntry,
    also?: AlsoInTransaction,
    { company, hasSecondFactor = false }: TokenOrigin = {},
  ): Promise<string | undefined> {
    const token = PERSONAL_TOKEN_PREFIX + newSecret();
    const now = this.now();
    return this.database.transaction(async (transaction) => {
      if (
        company !== undefined &&
        (company !== entry.workspaceId || !(await holdLink(transaction, company, accountId)))
      ) {
        return undefined;
      }
      // The lock on the membership: a transaction that ends it at this moment waits, and then deletes this token as well
      // (foreign key). The lock on the workspace: a transaction that forbids tokens waits, too.
      const made = await transaction.query(
        `INSERT INTO personal_access_tokens
           (id, token_sha256, account_id, workspace_id, name, scope, created_at, expires_at, by_company)
         SELECT $1, $2, account_id, workspace_id, $5, $6, $7, $8, $9
           FROM workspace_members JOIN workspaces ON workspaces.id = workspace_id
          WHERE account_id = $3 AND workspace_id = $4
            AND allows_personal_tokens AND (NOT needs_second_factor OR $10)
            FOR KEY SHARE OF workspace_members FOR SHARE OF workspaces
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
          company !== undefined,
          hasSecondFactor,
        ],
      );
      if (made.length === 0) {
        return undefined;
      }
      await also?.(transaction);
      return token;
    });
  }

  /** The tokens of a user that have not expired and that a session reaches, newest first. */
  async of({ accountId, company }: Reach): Promise<PersonalToken[]> {
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
        WHERE account_id = $1 AND expires_at > $2 AND workspaces.id = COALESCE($3, workspaces.id)
        ORDER BY personal_access_tokens.created_at DESC, personal_access_tokens.id`,
      [accountId, this.now(), company ?? null],
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
   * Revokes a token of a user. Ignores tokens that the session does not reach.
   * @param also called in the same transaction with the token, if there was one.
   */
  async revoke(
    { accountId, company }: Reach,
    id: string,
    also?: (
      transaction: Queryable,
      token: { readonly name: string; readonly workspaceId: string },
    ) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [ended] = await transaction.query<{ name: string; workspace_id: string }>(
        `DELETE FROM personal_access_tokens
          WHERE id = $1 AND account_id = $2 AND workspace_id = COALESCE($3, workspace_id)
          RETURNING name, workspace_id`,
        [id, accountId, company ?? null],
      );
      if (ended !== undefined) {
        await also?.(transaction, { name: ended.name, workspaceId: ended.workspace_id });
      }
    });
  }

  /** The owner of a token; undefined when it is unknown or expired, or no longer allowed (see {@link TOKEN_HOLDS}). */
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
        WHERE token_sha256 = $1 AND expires_at > $2 AND ${TOKEN_HOLDS}`,
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
