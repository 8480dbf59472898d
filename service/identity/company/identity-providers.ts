import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { openSecret, sealSecret } from '../../kernel/secret-box.js';
import { lockWorkspace } from '../access/members.js';
import { endCompanyAccess } from '../access/revoke-access.js';

/** Who becomes a member: users with an invitation, or everybody with an address in a confirmed domain. */
export type JoinPolicy = 'invited' | 'domain';

/** The domain of a company's e-mail addresses, in lower case. */
export interface CompanyDomain {
  readonly name: string;
  /** Whether the owner of the domain named the workspace in the DNS. Others might claim the domain. */
  readonly isConfirmed: boolean;
}

/** The OpenID provider of a workspace, as an owner enters it. */
export interface ProviderEntry {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined keeps the stored one. */
  readonly clientSecret: string | undefined;
  /** Domain names, in lower case. */
  readonly domains: readonly string[];
  readonly admits: JoinPolicy;
}

/** Why the latest sign-in that failed did so. */
export interface SignInFailure {
  /** A failure of the provider, or why its account was refused. */
  readonly reason: string;
  /** The cause, in one line; it may have words of the provider. Empty for none. */
  readonly details: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The OpenID provider of a workspace. */
export interface IdentityProvider {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly domains: readonly CompanyDomain[];
  readonly admits: JoinPolicy;
  /** Undefined when none has failed since the settings were saved. */
  readonly lastFailure: SignInFailure | undefined;
}

interface ProviderRow {
  workspace_id: string;
  workspace_name: string;
  issuer: string;
  client_id: string;
  client_secret: Uint8Array;
  domains: CompanyDomain[];
  admits: JoinPolicy;
  last_failure: SignInFailure | null;
}

const SELECT = `SELECT workspace_id, workspaces.name AS workspace_name, issuer, client_id,
       client_secret, domains, admits, last_failure
  FROM identity_providers JOIN workspaces ON workspaces.id = workspace_id`;

/** The OpenID providers with which members of workspaces sign in, at most one for each workspace. */
export class IdentityProviders {
  /** @param key encrypts the client secrets, see `secretKeys`. */
  constructor(
    private readonly database: Database,
    private readonly key: Uint8Array,
    private readonly now: () => Date,
  ) {}

  /** Whether any workspace has a provider. */
  async exist(): Promise<boolean> {
    const [row] = await this.database.query<{ exist: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM identity_providers) AS exist',
    );
    return row?.exist === true;
  }

  /** The provider of a workspace, if it has one. */
  async of(workspaceId: string): Promise<IdentityProvider | undefined> {
    const [row] = await this.database.query<ProviderRow>(`${SELECT} WHERE workspace_id = $1`, [
      workspaceId,
    ]);
    return row && this.toProvider(row);
  }

  /** The oldest provider with this confirmed domain, if there is one. */
  async ofDomain(name: string): Promise<IdentityProvider | undefined> {
    const [row] = await this.database.query<ProviderRow>(
      `${SELECT} WHERE domains @> $1 ORDER BY identity_providers.created_at, workspace_id LIMIT 1`,
      [JSON.stringify([{ name, isConfirmed: true }])],
    );
    return row && this.toProvider(row);
  }

  /**
   * Stores the provider of a workspace. A new issuer ends the links of all users, as the same subject may be another
   * person there. A domain that was confirmed stays so.
   * @returns false when there is no secret, neither in the entry nor stored.
   */
  save(workspaceId: string, entry: ProviderEntry, also: AlsoInTransaction): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      const [before] = await transaction.query<ProviderRow>(`${SELECT} WHERE workspace_id = $1`, [
        workspaceId,
      ]);
      const secret =
        entry.clientSecret === undefined
          ? before?.client_secret
          : sealSecret(this.key, entry.clientSecret);
      if (secret === undefined) {
        return false;
      }
      if (before !== undefined && !isSameIssuer(before.issuer, entry.issuer)) {
        await this.delete(transaction, workspaceId);
      }
      const confirmed = new Set(
        before?.domains.filter(({ isConfirmed }) => isConfirmed).map(({ name }) => name),
      );
      const domains = entry.domains.map((name) => ({ name, isConfirmed: confirmed.has(name) }));
      await transaction.query(
        `INSERT INTO identity_providers
           (workspace_id, issuer, client_id, client_secret, domains, admits, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (workspace_id) DO UPDATE SET issuer = excluded.issuer, last_failure = NULL,
           client_id = excluded.client_id, client_secret = excluded.client_secret,
           domains = excluded.domains, admits = excluded.admits`,
        [
          workspaceId,
          entry.issuer,
          entry.clientId,
          secret,
          JSON.stringify(domains),
          entry.admits,
          this.now(),
        ],
      );
      await also(transaction);
      return true;
    });
  }

  /** Stores why a sign-in failed, in place of an earlier failure. */
  async recordFailure(workspaceId: string, failure: SignInFailure): Promise<void> {
    await this.database.query(
      'UPDATE identity_providers SET last_failure = $2 WHERE workspace_id = $1',
      [workspaceId, JSON.stringify(failure)],
    );
  }

  /** Marks a domain of a workspace as confirmed. */
  async confirm(workspaceId: string, name: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      await transaction.query(
        `UPDATE identity_providers SET domains = (
           SELECT jsonb_agg(CASE WHEN domain ->> 'name' = $2
                                 THEN domain || '{"isConfirmed":true}' ELSE domain END)
             FROM jsonb_array_elements(domains) AS domain)
          WHERE workspace_id = $1`,
        [workspaceId, name],
      );
      await also(transaction);
    });
  }

  /** Removes the provider of a workspace, the links of its users, and what it opened. */
  async remove(workspaceId: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      await this.delete(transaction, workspaceId);
      await also(transaction);
    });
  }

  private async delete(transaction: Queryable, workspaceId: string): Promise<void> {
    await transaction.query('DELETE FROM identity_providers WHERE workspace_id = $1', [
      workspaceId,
    ]);
    await endCompanyAccess(transaction, workspaceId);
  }

  private toProvider(row: ProviderRow): IdentityProvider {
    return {
      workspaceId: row.workspace_id,
      workspaceName: row.workspace_name,
      issuer: row.issuer,
      clientId: row.client_id,
      clientSecret: openSecret(this.key, row.client_secret),
      domains: row.domains,
      admits: row.admits,
      lastFailure: row.last_failure ?? undefined,
    };
  }
}

/** Whether two issuers differ by a slash at the end only. Both have the same document, so they are one provider. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}
