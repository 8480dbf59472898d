import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AmbientDatabase } from '../../kernel/database/ambient-transaction.js';
import {
  endGrant,
  companyOf,
  holdLink,
  isWithin,
  SECOND_FACTOR_SECONDS,
  API_RESOURCE,
  apiScopes,
  decideCodeSignIn,
  type Audit,
  type CodeSignInPolicy,
} from '../../identity/index.js';
import { stateOf } from '../context/request-state.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';
import { recordConnection } from '../tokens/connection.js';
import { inTransaction } from '../tokens/token-transaction.js';
import { networkRelation, type ClientAddress } from '../../kernel/http/request/client-address.js';
import { clientText, NUMBER_MATCHING, WORKSPACE_ID } from '../clients/client-metadata.js';
import { isByLink } from '../device/code-entry.js';
import { deviceInfoOf, type DeviceInfo } from '../device/device-info.js';
import { newNumberMatch } from '../device/number-match.js';

type Grant = InstanceType<Provider['Grant']>;

/** The decision that the consent page stores in the interaction's result; {@link ConsentTransaction} executes it. */
export interface AllowedConsent {
  readonly workspaceId: string;
  /** When the user proved a second factor, in seconds since 1970; undefined where the workspace needs none. */
  readonly secondFactorAt?: number;
}

export interface ConsentTransactionDeps {
  readonly database: AmbientDatabase;
  readonly addressOf: ClientAddress;
  /** The operator's own policy. */
  readonly codeSignIn: CodeSignInPolicy;
  readonly audit: Audit;
  readonly now: () => Date;
}

/**
 * Stores a user's decision and all of its effects in one transaction. The consent page only records the choice. The
 * grant and the row in `consents` are created later, together with the authorization code or with the decision in the
 * device code. So a late decision (another tab or user was first, or the code has expired) or a killed process leaves
 * no rows behind.
 */
export class ConsentTransaction {
  constructor(private readonly deps: ConsentTransactionDeps) {}

  /** Learns from the provider which requests have stored their decision. */
  watch(provider: Provider): void {
    provider.on('authorization.success', (ctx) => {
      stateOf(ctx).isDecided = true;
    });
  }

  /**
   * Creates the grant after Allow. It is a new one each time: disconnecting one device must not end the others.
   * @returns undefined before Allow, for users who have left the workspace since, and where a policy refuses the
   *   sign-in with a code. They see the consent page again, with the reason.
   */
  readonly grant = async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const workspaceId = ctx.oidc.result?.consent?.['workspaceId'];
    const { account, client, provider } = ctx.oidc;
    if (typeof workspaceId !== 'string' || account === undefined || client === undefined) {
      return;
    }
    // Locked: a concurrent removal from the workspace waits, and then finds the grant.
    const { database, now } = this.deps;
    // A session that a company opened reaches one workspace, see `Reach`. The lock on its link: an end of the link waits, too.
    const company = companyOf(ctx.oidc.session?.amr);
    const [member] = await database.query<CodeSignInPolicy & { readonly needsFactor: boolean }>(
      `SELECT code_sign_in AS "signIn", code_sign_in_apps AS apps,
              needs_second_factor AS "needsFactor"
         FROM workspace_members JOIN workspaces ON workspaces.id = workspace_id
        WHERE workspace_id = $1 AND account_id = $2
          FOR KEY SHARE OF workspace_members FOR SHARE OF workspaces`,
      [workspaceId, account.accountId],
    );
    const isReached =
      company === undefined ||
      (company === workspaceId && (await holdLink(database, workspaceId, account.accountId)));
    const device = member && this.decideDevice(ctx, member);
    const provedAt = ctx.oidc.result?.consent?.['secondFactorAt'];
    const lacksFactor =
      member?.needsFactor === true &&
      !(typeof provedAt === 'number' && isWithin(provedAt, SECOND_FACTOR_SECONDS));
    if (member === undefined || !isReached || lacksFactor || device === 'refused') {
      return;
    }
    const scopes = [...ctx.oidc.requestParamScopes].join(' ');
    const allowed = apiScopes(scopes).join(' ');
    const grant = new provider.Grant({
      accountId: account.accountId,
      clientId: client.clientId,
    });
    grant.addResourceScope(API_RESOURCE, allowed);
    // Standard clients may request it. Every client gets a refresh token anyway.
    if (scopes.split(' ').includes('offline_access')) {
      grant.addOIDCScope('offline_access');
    }
    const grantId = await grant.save();
    // A name that the user gave the computer outlives a new sign-in there.
    await database.query(
      `WITH renamed AS (
         SELECT device_name FROM consents
          WHERE account_id = $2 AND workspace_id = $3 AND client_id = $4 AND device_id = $7 AND device_renamed
          ORDER BY created_at DESC LIMIT 1)
       INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at,
                             device_id, device_name, device_app, device_os, by_company, device_renamed)
       VALUES ($1, $2, $3, $4, $5, $6, $7, COALESCE((SELECT device_name FROM renamed), $8), $9, $10, $11,
               EXISTS (SELECT 1 FROM renamed))`,
      [
        ...[grantId, account.accountId, workspaceId, client.clientId, allowed, now()],
        ...[device?.id ?? null, device?.name ?? null, device?.app ?? null, device?.os ?? null],
        company !== undefined,
      ],
    );
    return grant;
  };

  /**
   * Checks the policies for a sign-in with a code, and stores in the code the number to match, if one is needed.
   * @returns the computer of the app; undefined for another kind of sign-in.
   */
  private decideDevice(
    ctx: KoaContextWithOIDC,
    policy: CodeSignInPolicy,
  ): DeviceInfo | 'refused' | undefined {
    const { DeviceCode: code } = ctx.oidc.entities;
    const { client } = ctx.oidc;
    if (code === undefined || client === undefined) {
      return undefined;
    }
    const { addressOf, codeSignIn } = this.deps;
    const device = deviceInfoOf(code);
    const decision = decideCodeSignIn([codeSignIn, policy], {
      isOfficial: clientText(client, WORKSPACE_ID) === undefined,
      showsNumbers: clientText(client, NUMBER_MATCHING) === 'yes',
      isByLink: isByLink(ctx.oidc.params),
      relation: networkRelation(device.address, addressOf(ctx.req)),
    });
    if (decision === 'number') {
      code.deviceInfo = { ...device, number: newNumberMatch() };
      return device;
    }
    return decision === 'allow' ? device : 'refused';
  }

  /**
   * Middleware for the addresses at which the browser comes back from the pages: each such request is one
   * transaction. Nothing in it waits for the sender: these are GET requests, answered from the database.
   */
  readonly whole = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!isResume(ctx.path)) {
      await next();
      return;
    }
    const { database } = this.deps;
    const isCommitted = await inTransaction(database, ctx, async () => {
      await next();
      const grantId = grantIn(ctx);
      if (ctx.status >= 500 || grantId === undefined) {
        return;
      }
      const { client, entities } = ctx.oidc;
      if (stateOf(ctx).isDecided !== true) {
        await endGrant(database, grantId);
      } else if (!isNumberPending(entities.DeviceCode)) {
        const connected = { grantId, client: client?.clientName };
        await recordConnection(this.deps.audit, ctx.res, connected, database);
      }
    });
    if (!isCommitted) {
      // The response of oidc-provider stays, without the cookies of the rolled back transaction.
      ctx.remove('Set-Cookie');
    }
  };
}

function isResume(path: string): boolean {
  return [ROUTES.code_verification, ROUTES.authorization].some((route) =>
    path.startsWith(`${route}/`),
  );
}

/** Whether the user still has to choose a number in the app: until then it is not connected. */
function isNumberPending(code: Parameters<typeof deviceInfoOf>[0] | undefined): boolean {
  return code !== undefined && deviceInfoOf(code).number !== undefined;
}

/** The id of the grant that was made in this request; undefined for a grant that oidc-provider made and did not store. */
function grantIn(ctx: KoaContextWithOIDC): string | undefined {
  const { oidc } = ctx as Partial<KoaContextWithOIDC>;
  return oidc?.entities.Grant?.jti;
}
