import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { CompanyIdentities } from './identities.js';
import type { IdentityProvider, IdentityProviders, SignInFailure } from './identity-providers.js';
import type { Audit } from '../accounts/audit.js';
import type { SessionUser } from '../session/authenticated-request.js';
import { epochSeconds } from '../session/oidc-record.js';
import type { Log } from '../../kernel/log.js';
import type { Invitations } from '../invitations/invitations.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import {
  COMPANY_PATHS,
  COMPANY_QUERY,
  pageAfterSignIn,
} from '../../site/addresses/company-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import {
  ProviderError,
  type AuthorizationSecrets,
  type CompanyUser,
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
  /** The workspace whose provider signed in an account that was refused here. */
  readonly choose: SealedCookie<{ readonly workspaceId: string }>;
  readonly invitations: Invitations;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => Date;
  readonly baseUrl: string;
}

/** How often one address may begin or finish a sign-in in 15 minutes: each makes requests to a provider. */
const MAX_PER_ADDRESS = 100;

/** The longest address that is passed on to a provider. */
const MAX_ADDRESS = 254;

/** A sign-in that a browser wants to begin, or has begun. */
interface Attempt {
  readonly workspaceId: string;
  readonly to: string;
  readonly invitation?: string;
}

/** What the user is shown, by failure. Owners get the details on the page of the settings. */
const PROBLEMS: Readonly<Partial<Record<ProviderFailure, Message>>> = {
  refused: message('companyRefused'),
  timeout: message('companyUnreachable'),
  unreachable: message('companyUnreachable'),
  unknown_host: message('companyUnreachable'),
  certificate: message('companyUnreachable'),
  tls: message('companyUnreachable'),
  proxy: message('companyUnreachable'),
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
    { to, invitation, loginHint }: Omit<Attempt, 'workspaceId'> & { readonly loginHint?: string },
  ): Promise<void> {
    const attempt = { workspaceId, to, ...(invitation !== undefined && { invitation }) };
    if (!(await this.isWithinLimit(context, attempt))) {
      return;
    }
    const provider = await this.deps.providers.of(workspaceId);
    if (provider === undefined) {
      sendPage(context, 404, companyProblemPage(message('companyLinkUnknown'), PHOTOS.root));
      return;
    }
    const { openId, begun, choose } = this.deps;
    const choosesAccount = choose.get(context.request)?.workspaceId === workspaceId;
    try {
      const hints = { loginHint, choosesAccount };
      const { url, secrets } = await openId.begin(this.clientOf(provider), hints);
      begun.set(context, { ...attempt, issuer: provider.issuer, secrets }, secrets.state);
      if (choosesAccount) {
        choose.delete(context.response);
      }
      sendRedirect(context.response, url.href);
    } catch (error) {
      await this.sendFailure(context, attempt, error);
    }
  }

  /** Begins at the link that an owner hands out. */
  startPage(context: BufferedContext): Promise<void> {
    const to = pageAfterSignIn(context.query.get('to')) ?? PHOTOS.root;
    const address = context.query.get('address') ?? '';
    const isAddress = address.length <= MAX_ADDRESS && /^[^\s@]+@[^\s@]+$/.test(address);
    return this.begin(context, context.id, { to, ...(isAddress && { loginHint: address }) });
  }

  /** Takes the answer of a provider: signs the user in, or leads a newcomer to the page to get an account. */
  async callbackPage(context: BufferedContext, session: SessionUser['session']): Promise<void> {
    const { request, response, target, query, id } = context;
    const state = query.get('state') ?? '';
    const begun = state === '' ? undefined : this.deps.begun.get(request, state);
    const provider = begun?.workspaceId === id ? await this.deps.providers.of(id) : undefined;
    if (begun === undefined || provider?.issuer !== begun.issuer) {
      const again = tryAgainAt({ workspaceId: id, to: PHOTOS.root });
      sendPage(context, 400, companyProblemPage(message('companyTooOld'), again));
      return;
    }
    this.deps.begun.delete(response, state);
    if (!(await this.isWithinLimit(context, begun))) {
      return;
    }
    try {
      const client = this.clientOf(provider);
      const user = await this.deps.openId.finish(client, target.search, begun.secrets);
      await this.receive(context, session, { begun, provider, user });
    } catch (error) {
      await this.sendFailure(context, begun, error);
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
      readonly user: CompanyUser;
    },
  ): Promise<void> {
    const { identities, newcomer, audit } = this.deps;
    const { response } = context;
    const { begun, provider, user } = about;
    const { workspaceId, issuer } = provider;
    const details = { method: 'company' } as const;
    const accountId = await identities.use(
      { workspaceId, subject: user.subject },
      (transaction, id) =>
        audit(response, ACCOUNT_EVENTS.signedIn, { by: id, user: id, details }, transaction),
    );
    if (accountId !== undefined) {
      await session.signIn(accountId, workspaceId);
      sendRedirect(response, begun.to);
      return;
    }
    const { email, verification, name } = await user.claims();
    const domain = email?.slice(email.lastIndexOf('@') + 1);
    if (email === undefined || verification === 'unverified') {
      await this.refuseAccount(
        context,
        begun,
        'email_unverified',
        message('companyEmailUnverified'),
      );
      return;
    }
    const entry = provider.domains.find((one) => one.name === domain);
    if (entry === undefined) {
      const problem = message('companyOtherDomain', { email });
      await this.refuseAccount(context, begun, 'other_domain', problem);
      return;
    }
    // An invitation admits everybody who has its link, so it needs no verified address.
    if (verification === 'unstated' && !entry.isConfirmed && !(await this.isInvited(begun))) {
      const problem = message('companyDomainUnconfirmed', { domain: entry.name });
      await this.refuseAccount(context, begun, 'domain_unconfirmed', problem);
      return;
    }
    const { subject } = user;
    newcomer.set(context, {
      ...{ workspaceId, issuer, subject, email, name, to: begun.to },
      since: epochSeconds(),
      sessionBefore: session.csrf,
      ...(begun.invitation !== undefined && { invitation: begun.invitation }),
    });
    sendRedirect(response, COMPANY_PATHS.link);
  }

  private async isInvited({ workspaceId, invitation }: BegunSignIn): Promise<boolean> {
    const found =
      invitation === undefined ? undefined : await this.deps.invitations.find(invitation);
    return found?.workspaceId === workspaceId;
  }

  private async isWithinLimit(context: BufferedContext, attempt: Attempt): Promise<boolean> {
    const taken = await this.deps.limit.consume([
      { key: ['company sign-ins from address', context.clientAddress], max: MAX_PER_ADDRESS },
    ]);
    if ('waitSeconds' in taken) {
      context.response.setHeader('Retry-After', String(taken.waitSeconds));
      const time = waitDuration(taken.waitSeconds);
      const problem = message('tooManyRequests', { time });
      sendPage(context, 429, companyProblemPage(problem, tryAgainAt(attempt)));
      return false;
    }
    return true;
  }

  /** Refuses the account that is signed in at the provider. The next request lets the user choose another one. */
  private async refuseAccount(
    context: BufferedContext,
    attempt: Attempt,
    reason: SignInFailure['reason'],
    problem: Message,
  ): Promise<void> {
    await this.note(context, attempt, { reason, details: '' });
    this.deps.choose.set(context, { workspaceId: attempt.workspaceId });
    sendPage(context, 403, companyProblemPage(problem, tryAgainAt(attempt)));
  }

  /** @throws {Error} an error that is not about the provider. */
  private async sendFailure(
    context: BufferedContext,
    attempt: Attempt,
    error: unknown,
  ): Promise<void> {
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    const { failure, details } = error;
    await this.note(context, attempt, { reason: failure, details });
    const problem = PROBLEMS[failure] ?? message('companyBroken');
    // No 5xx: proxies replace such pages, and this service works.
    const status = failure === 'refused' ? 403 : 422;
    sendPage(context, status, companyProblemPage(problem, tryAgainAt(attempt)));
  }

  /** Keeps the cause of a failure for the owners and the operator. */
  private async note(
    { requestId }: BufferedContext,
    { workspaceId }: Attempt,
    failure: Omit<SignInFailure, 'at'>,
  ): Promise<void> {
    const { log, now, providers } = this.deps;
    const { reason, details } = failure;
    log({
      time: now().toISOString(),
      level: 'error',
      event: 'sign_in_failed',
      requestId,
      workspace: workspaceId,
      message: details === '' ? reason : `${reason} (${details})`,
    });
    await providers.recordFailure(workspaceId, { ...failure, at: now().getTime() });
  }
}

/** The address that begins a sign-in once more. */
function tryAgainAt({ workspaceId, to, invitation }: Attempt): string {
  if (invitation !== undefined) {
    return `${PEOPLE_PATHS.invitation}?${COMPANY_QUERY.name}=${COMPANY_QUERY.value}`;
  }
  return `${COMPANY_PATHS.start(workspaceId)}?${new URLSearchParams({ to }).toString()}`;
}
