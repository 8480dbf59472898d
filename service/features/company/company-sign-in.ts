import type { CompanyIdentities } from '../../auth/company/identities.js';
import type { IdentityProvider, IdentityProviders } from '../../auth/company/identity-providers.js';
import type { Audit } from '../../auth/accounts/audit.js';
import type { SessionUser } from '../../auth/session/authenticated-request.js';
import { epochSeconds } from '../../auth/session/oidc-record.js';
import type { BufferedContext } from '../../platform/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../platform/http/responses.js';
import { message, waitDuration, type Message } from '../../platform/i18n/message.js';
import { COMPANY_PATHS, pageAfterSignIn } from '../../platform/paths/company-paths.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.js';
import {
  ProviderError,
  type AuthorizationSecrets,
  type CompanyClaims,
  type OpenIdClient,
  type ProviderClient,
  type ProviderFailure,
} from './openid-provider.js';
import { companyProblemPage } from './company-pages.js';
import type { SealedCookie } from './sealed-cookie.js';

/** A sign-in at a provider that a browser has begun. */
export interface BegunSignIn {
  readonly workspaceId: string;
  /** The provider that was asked; a workspace may have another one by now. */
  readonly issuer: string;
  readonly secrets: AuthorizationSecrets;
  /** The page to go to afterwards. */
  readonly to: string;
  /** The token of the invitation that the user follows. */
  readonly invitation?: string;
}

/** A company account that was confirmed, but does not open an account here yet. */
export interface NewcomerIdentity {
  readonly workspaceId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string | undefined;
  /** When the company confirmed it, in seconds since 1970. */
  readonly since: number;
  /** The form token of the session then: a sign-in after it has another one, also in the same second. */
  readonly sessionBefore: string;
  readonly to: string;
  readonly invitation?: string;
}

export interface CompanySignInDeps {
  readonly providers: IdentityProviders;
  readonly identities: CompanyIdentities;
  readonly openId: OpenIdClient;
  readonly begun: SealedCookie<BegunSignIn>;
  readonly newcomer: SealedCookie<NewcomerIdentity>;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly baseUrl: string;
}

/** How often one address may begin or finish a sign-in in 15 minutes: each makes requests to a provider. */
const MAX_PER_ADDRESS = 100;

/** What the user is shown, by failure. Owners get details from the test of the connection. */
const PROBLEMS: Readonly<Partial<Record<ProviderFailure, Message>>> = {
  refused: message('companyRefused'),
  timeout: message('companyUnreachable'),
  unreachable: message('companyUnreachable'),
  unknown_host: message('companyUnreachable'),
};

/** Signs users in with the account of their company. */
export class CompanySignIn {
  constructor(private readonly deps: CompanySignInDeps) {}

  /** Whether the members of a workspace can sign in with the account of their company. */
  async isSetUp(workspaceId: string): Promise<boolean> {
    return (await this.deps.providers.of(workspaceId)) !== undefined;
  }

  /** Sends the browser to the provider of a workspace. @param invitation the token of the invitation that it follows. */
  async begin(
    context: BufferedContext,
    workspaceId: string,
    { to, invitation }: { readonly to: string; readonly invitation?: string },
  ): Promise<void> {
    if (!(await this.isWithinLimit(context))) {
      return;
    }
    const provider = await this.deps.providers.of(workspaceId);
    if (provider === undefined) {
      this.sendProblem(context, 404, message('companyLinkUnknown'));
      return;
    }
    try {
      const { url, secrets } = await this.deps.openId.begin(this.clientOf(provider));
      this.deps.begun.set(context.response, {
        workspaceId,
        issuer: provider.issuer,
        secrets,
        to,
        ...(invitation !== undefined && { invitation }),
      });
      sendRedirect(context.response, url.href);
    } catch (error) {
      this.sendFailure(context, error);
    }
  }

  /** Begins at the link that an owner hands out. */
  startPage(context: BufferedContext): Promise<void> {
    const to = pageAfterSignIn(context.query.get('to')) ?? PHOTOS.root;
    return this.begin(context, context.id, { to });
  }

  /** Takes the answer of a provider: signs the user in, or leads a newcomer to the page to get an account. */
  async callbackPage(context: BufferedContext, session: SessionUser['session']): Promise<void> {
    const { request, response, target, id } = context;
    const begun = this.deps.begun.get(request);
    this.deps.begun.delete(response);
    const provider = begun?.workspaceId === id ? await this.deps.providers.of(id) : undefined;
    if (begun === undefined || provider?.issuer !== begun.issuer) {
      this.sendProblem(context, 400, message('companyTooOld'));
      return;
    }
    if (!(await this.isWithinLimit(context))) {
      return;
    }
    try {
      const client = this.clientOf(provider);
      const claims = await this.deps.openId.finish(client, target.search, begun.secrets);
      await this.receive(context, session, { begun, provider, claims });
    } catch (error) {
      this.sendFailure(context, error);
    }
  }

  /** The client of a workspace at its provider. */
  clientOf({
    workspaceId,
    issuer,
    clientId,
    clientSecret,
  }: Pick<
    IdentityProvider,
    'workspaceId' | 'issuer' | 'clientId' | 'clientSecret'
  >): ProviderClient {
    const redirectUri = this.deps.baseUrl + COMPANY_PATHS.callback(workspaceId);
    return { issuer, clientId, clientSecret, redirectUri };
  }

  private async receive(
    context: BufferedContext,
    session: SessionUser['session'],
    about: {
      readonly begun: BegunSignIn;
      readonly provider: IdentityProvider;
      readonly claims: CompanyClaims;
    },
  ): Promise<void> {
    const { identities, newcomer, audit } = this.deps;
    const { response } = context;
    const { begun, provider, claims } = about;
    const { workspaceId, issuer } = provider;
    const details = { method: 'company' } as const;
    const accountId = await identities.use(
      { workspaceId, subject: claims.subject },
      (transaction, id) => audit(response, 'signed_in', { by: id, user: id, details }, transaction),
    );
    if (accountId !== undefined) {
      await session.signIn(accountId, workspaceId);
      sendRedirect(response, begun.to);
      return;
    }
    const { email, isEmailVerified, subject, name } = claims;
    const domain = email?.slice(email.lastIndexOf('@') + 1);
    if (email === undefined || !isEmailVerified) {
      this.sendProblem(context, 403, message('companyEmailUnverified'));
      return;
    }
    if (!provider.domains.some((one) => one.name === domain)) {
      this.sendProblem(context, 403, message('companyOtherDomain', { email }));
      return;
    }
    newcomer.set(response, {
      ...{ workspaceId, issuer, subject, email, name, to: begun.to },
      since: epochSeconds(),
      sessionBefore: session.csrf,
      ...(begun.invitation !== undefined && { invitation: begun.invitation }),
    });
    sendRedirect(response, COMPANY_PATHS.link);
  }

  private async isWithinLimit(context: BufferedContext): Promise<boolean> {
    const taken = await this.deps.limit.consume([
      { key: ['company sign-ins from address', context.clientAddress], max: MAX_PER_ADDRESS },
    ]);
    if ('waitSeconds' in taken) {
      context.response.setHeader('Retry-After', String(taken.waitSeconds));
      const time = waitDuration(taken.waitSeconds);
      sendPage(context, 429, companyProblemPage(message('tooManyRequests', { time })));
      return false;
    }
    return true;
  }

  /** @throws {Error} an error that is not about the provider. */
  private sendFailure(context: BufferedContext, error: unknown): void {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    const problem = PROBLEMS[error.failure] ?? message('companyBroken');
    // No 5xx: proxies replace such pages, and this service works.
    this.sendProblem(context, error.failure === 'refused' ? 403 : 422, problem);
  }

  private sendProblem(context: BufferedContext, status: number, problem: Message): void {
    sendPage(context, status, companyProblemPage(problem));
  }
}
