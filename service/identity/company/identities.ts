import { randomInt } from 'node:crypto';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { addAccount, NO_PASSWORD, setMember } from '../accounts/accounts.js';
import { lockWorkspace } from '../access/members.js';
import type { Invitations } from '../invitations/invitations.js';
import { endCompanyAccess } from '../access/revoke-access.js';
import type { Reach } from '../session/reach.js';

/** A user at a provider: `sub` of [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken). */
export interface CompanyIdentity {
  readonly workspaceId: string;
  readonly subject: string;
}

/** How a user may join the workspace: with the token of an invitation, or because of their domain. */
export type JoinMethod = { readonly invitation: string } | 'domain';

/** A user who registers. Each part has been checked. */
export interface NewCompanyUser {
  /** The first part of the username; digits are added to it. */
  readonly namePart: string;
  readonly displayName: string;
}

/** A company account that opens an account here. */
export interface LinkedCompany {
  readonly workspaceId: string;
  readonly workspaceName: string;
}

/** Called in the transaction of a change, after it. */
type Also = (transaction: Queryable, accountId: string) => Promise<void>;

/** How often another username is tried. */
const MAX_NAMES = 5;

/** The company accounts that open accounts here. Each belongs to a member of the workspace, see `account_identities`. */
export class CompanyIdentities {
  constructor(
    private readonly database: Database,
    private readonly invitations: Invitations,
    private readonly now: () => Date,
  ) {}

  /**
   * Notes that a company account is used.
   * @param also called in the same transaction, if the company account opens an account.
   * @returns the id of the account; undefined for none.
   */
  use({ workspaceId, subject }: CompanyIdentity, also: Also): Promise<string | undefined> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ account_id: string }>(
        `UPDATE account_identities SET last_used_at = $3
          WHERE workspace_id = $1 AND subject = $2 RETURNING account_id`,
        [workspaceId, subject, this.now()],
      );
      if (row !== undefined) {
        await also(transaction, row.account_id);
      }
      return row?.account_id;
    });
  }

  /**
   * Creates an account without a password that the company account opens, and makes it a member.
   * @returns the id of the account; undefined when the invitation does not work any more, or the company account opens
   *   another account by now.
   */
  async register(
    identity: CompanyIdentity,
    user: NewCompanyUser,
    entrance: JoinMethod,
    also: Also,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_NAMES; tries += 1) {
      // Digits in every name: a name without them would reveal that it was free.
      const username = `${user.namePart}-${randomInt(1000, 10_000)}`;
      const made = await this.tryToRegister(identity, { ...user, username }, entrance, also);
      if (made !== 'taken') {
        return made?.accountId;
      }
    }
    return undefined;
  }

  /**
   * Lets a company account open the account of a user who has signed in with their own password or passkey.
   * @param entrance how a user who is no member becomes one; undefined if they cannot.
   * @returns whether it was done; not when the user is no member and cannot become one, or the company account opens
   *   another account by now.
   */
  async link(
    identity: CompanyIdentity,
    accountId: string,
    entrance: JoinMethod | undefined,
    also: Also,
  ): Promise<boolean> {
    const store = async (transaction: Queryable): Promise<void> => {
      await this.insert(transaction, identity, accountId);
      await also(transaction, accountId);
    };
    try {
      if (typeof entrance === 'object') {
        const joined = await this.invitations.join(entrance.invitation, accountId, store);
        if (joined !== 'member already') {
          return joined === 'joined';
        }
      }
      await this.database.transaction(async (transaction) => {
        await lockWorkspace(transaction, identity.workspaceId);
        if (entrance === 'domain') {
          await addMember(transaction, identity.workspaceId, accountId);
        }
        await store(transaction);
      });
      return true;
    } catch (error) {
      notStored(error);
      return false;
    }
  }

  /** Whether a user can sign in without a company: by a password, a passkey, or a link to a confirmed address. */
  async hasOwnSignIn(accountId: string): Promise<boolean> {
    const found = await this.database.query(
      `SELECT 1 FROM accounts
        WHERE id = $1
          AND (password_hash <> $2 OR email_confirmed_at IS NOT NULL
               OR EXISTS (SELECT 1 FROM passkeys WHERE account_id = $1))`,
      [accountId, NO_PASSWORD],
    );
    return found.length > 0;
  }

  /** The company accounts that open an account, as far as a session reaches. */
  async of({ accountId, company }: Reach): Promise<LinkedCompany[]> {
    const rows = await this.database.query<{ id: string; name: string }>(
      `SELECT DISTINCT workspaces.id, workspaces.name
         FROM account_identities JOIN workspaces ON workspaces.id = workspace_id
        WHERE account_id = $1 AND workspaces.id = COALESCE($2, workspaces.id)
        ORDER BY workspaces.name, workspaces.id`,
      [accountId, company ?? null],
    );
    return rows.map(({ id, name }) => ({ workspaceId: id, workspaceName: name }));
  }

  /**
   * Ends that the company account of a workspace opens an account, and what it opened.
   * @param also called in the same transaction, if it opened the account before.
   */
  async unlink(accountId: string, workspaceId: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const ended = await transaction.query(
        `DELETE FROM account_identities WHERE account_id = $1 AND workspace_id = $2
          RETURNING subject`,
        [accountId, workspaceId],
      );
      await endCompanyAccess(transaction, workspaceId, accountId);
      if (ended.length > 0) {
        await also(transaction);
      }
    });
  }

  /** @returns 'taken' when the username is taken. */
  private async tryToRegister(
    identity: CompanyIdentity,
    user: NewCompanyUser & { readonly username: string },
    entrance: JoinMethod,
    also: Also,
  ): Promise<{ readonly accountId: string } | 'taken' | undefined> {
    const { username, displayName } = user;
    const made = { username, displayName, passwordHash: NO_PASSWORD };
    const store = async (transaction: Queryable, accountId: string): Promise<void> => {
      await this.insert(transaction, identity, accountId);
      await also(transaction, accountId);
    };
    try {
      if (typeof entrance === 'object') {
        const joined = await this.invitations.joinAsNew(entrance.invitation, made, store);
        return joined === 'gone' ? undefined : joined;
      }
      return await this.database.transaction(async (transaction) => {
        await lockWorkspace(transaction, identity.workspaceId);
        const accountId = await addAccount(transaction, made);
        if (accountId === undefined) {
          return 'taken';
        }
        await setMember(transaction, identity.workspaceId, accountId, 'member');
        await store(transaction, accountId);
        return { accountId };
      });
    } catch (error) {
      notStored(error);
      return undefined;
    }
  }

  /**
   * @throws {NotStored} when the company account opens an account already, the user is no member, or the provider was
   *   removed.
   */
  private async insert(
    transaction: Queryable,
    { workspaceId, subject }: CompanyIdentity,
    accountId: string,
  ): Promise<void> {
    const stored = await transaction.query(
      `INSERT INTO account_identities (workspace_id, subject, account_id, created_at, last_used_at)
       SELECT workspace_id, $2, account_id, $4, $4
         FROM workspace_members JOIN identity_providers USING (workspace_id)
        WHERE workspace_id = $1 AND account_id = $3
       ON CONFLICT DO NOTHING RETURNING subject`,
      [workspaceId, subject, accountId, this.now()],
    );
    if (stored.length === 0) {
      throw new NotStored();
    }
  }
}

/** Rolls the transaction back. */
class NotStored extends Error {}

/**
 * The result after an error.
 * @throws {Error} the error, unless it is {@link NotStored}.
 */
function notStored(error: unknown): void {
  if (!(error instanceof NotStored)) {
    throw error;
  }
}

async function addMember(
  transaction: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<void> {
  await transaction.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, 'member')
     ON CONFLICT DO NOTHING`,
    [workspaceId, accountId],
  );
}
