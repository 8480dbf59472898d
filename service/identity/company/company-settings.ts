import { COMPANY_EVENTS } from './events.js';
import type { Membership } from '../accounts/accounts.js';
import type { Audit } from '../accounts/audit.js';
import type { IdentityProvider, IdentityProviders, ProviderEntry } from './identity-providers.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { OutgoingError, outgoingUrl, type OutgoingPolicy } from '../../kernel/http/outgoing.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, waitDuration, type Message, type PlainKey } from '../../kernel/i18n/message.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { companySettingsPage, type TypedEntry } from './company-settings-page.js';
import type { CompanySignIn } from './company-sign-in.js';
import { domainIn, isPublished, MAX_DOMAINS, recordFor, type ResolveTxt } from './domain-names.js';
import { ProviderError, type OpenIdClient, type ProviderFailure } from './openid-provider.js';

export interface CompanySettingsDeps {
  readonly providers: IdentityProviders;
  readonly openId: OpenIdClient;
  readonly signIn: CompanySignIn;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly resolveTxt: ResolveTxt;
  readonly policy: OutgoingPolicy;
  readonly baseUrl: string;
}

/** What a submitted form led to: a message above the form, or the next page. */
type Outcome =
  | { readonly done: string }
  | { readonly status: number; readonly problem: Message; readonly details?: string }
  | { readonly status: 200; readonly note: Message };

/** How often an owner may test or check something in 15 minutes: each makes requests to other servers. */
const MAX_CHECKS = 30;

const MAX_LENGTH = 512;

/** What an owner is shown, by the failure of a test. */
const FAILURES: Readonly<Record<ProviderFailure, PlainKey>> = {
  not_https: 'issuerNotHttps',
  not_public: 'issuerNotPublic',
  unknown_host: 'issuerUnknownHost',
  timeout: 'issuerUnreachable',
  unreachable: 'issuerUnreachable',
  certificate: 'deliveryCertificate',
  tls: 'deliveryTls',
  proxy: 'deliveryProxy',
  too_large: 'issuerNoProvider',
  no_provider: 'issuerNoProvider',
  wrong_client: 'issuerWrongClient',
  refused: 'issuerRefused',
  wrong_clock: 'issuerWrongClock',
  invalid_answer: 'issuerInvalidAnswer',
};

/** What an owner is shown, by the reason for which an account was refused. */
const REFUSALS: Readonly<Record<string, PlainKey>> = {
  email_unverified: 'accountUnverified',
  domain_unconfirmed: 'accountDomainUnconfirmed',
  other_domain: 'accountOtherDomain',
};

/** Lets an owner set up, test and remove the sign-in with the company's accounts. */
export function companySettings(deps: CompanySettingsDeps): PageHandler {
  return async (context) => {
    const { form, query, memberships, shell, response } = context;
    const owned = memberships.filter(({ role }) => role === 'owner');
    const id = (form ?? query).get('workspace');
    const workspace =
      form === undefined && id === null ? owned[0] : owned.find((one) => one.id === id);
    if (workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersManage')));
      return;
    }
    const outcome = form && (await answer(deps, context, workspace, form));
    if (outcome !== undefined && 'done' in outcome) {
      const to = new URLSearchParams({ workspace: workspace.id, flash: outcome.done });
      sendRedirect(response, `${SETTINGS.companyAccount}?${to.toString()}`);
      return;
    }
    const provider = await deps.providers.of(workspace.id);
    const isOfForm = form?.get('action') === 'save';
    const shown = {
      workspace,
      provider,
      entry: isOfForm ? readEntry(form) : provider && entryOf(provider),
      records: (provider?.domains ?? [])
        .filter(({ isConfirmed }) => !isConfirmed)
        .map(({ name }) => ({ domain: name, ...recordFor(deps.formTokens, workspace.id, name) })),
      redirectUri: deps.baseUrl + COMPANY_PATHS.callback(workspace.id),
      directLink: deps.baseUrl + COMPANY_PATHS.start(workspace.id),
      problem: outcome && 'problem' in outcome ? outcome.problem : undefined,
      details: outcome && 'problem' in outcome ? outcome.details : undefined,
      lastFailure: provider?.lastFailure && {
        ...provider.lastFailure,
        key: reasonKey(provider.lastFailure.reason),
      },
    };
    const flash = outcome && 'note' in outcome ? outcome.note : shell.flash;
    const page = companySettingsPage({ ...shell, workspace, flash }, shown);
    sendPage(context, outcome?.status ?? 200, page);
  };
}

function reasonKey(reason: string): PlainKey {
  const words: Readonly<Record<string, PlainKey>> = { ...FAILURES, ...REFUSALS };
  return words[reason] ?? 'issuerInvalidAnswer';
}

function entryOf({ issuer, clientId, domains, admits }: IdentityProvider): TypedEntry {
  return { issuer, clientId, admits, domains: domains.map(({ name }) => name).join('\n') };
}

function readEntry(form: URLSearchParams): TypedEntry {
  return {
    issuer: (form.get('issuer') ?? '').trim(),
    clientId: (form.get('client_id') ?? '').trim(),
    domains: form.get('domains') ?? '',
    admits: form.get('admits') === 'domain' ? 'domain' : 'invited',
  };
}

async function answer(
  deps: CompanySettingsDeps,
  context: AuthenticatedRequest,
  workspace: Membership,
  form: URLSearchParams,
): Promise<Outcome> {
  switch (form.get('action') ?? '') {
    case 'save':
      return save(deps, context, workspace, form);
    case 'test':
      return test(deps, context, workspace);
    case 'check':
      return checkDomain(deps, context, workspace, form.get('domain') ?? '');
    case 'remove':
      return remove(deps, context, workspace, form);
    default:
      return { status: 400, problem: message('cannotBeDone') };
  }
}

async function save(
  deps: CompanySettingsDeps,
  context: AuthenticatedRequest,
  workspace: Membership,
  form: URLSearchParams,
): Promise<Outcome> {
  const typed = readEntry(form);
  const secret = (form.get('client_secret') ?? '').trim();
  const names = typed.domains.split(/[\s,;]+/).filter((name) => name !== '');
  const domains = [...new Set(names.map((name) => domainIn(name)))];
  const problem =
    issuerProblem(typed.issuer, deps.policy) ??
    (typed.clientId === '' || typed.clientId.length + secret.length > MAX_LENGTH
      ? message('companyFieldsMissing')
      : undefined);
  if (problem !== undefined) {
    return { status: 400, problem };
  }
  if (domains.length === 0 || domains.length > MAX_DOMAINS || domains.includes(undefined)) {
    return { status: 400, problem: message('companyDomainsRule', { max: MAX_DOMAINS }) };
  }
  const entry: ProviderEntry = {
    issuer: typed.issuer,
    clientId: typed.clientId,
    clientSecret: secret === '' ? undefined : secret,
    domains: domains.filter((name) => name !== undefined),
    admits: typed.admits,
  };
  const isSaved = await deps.providers.save(workspace.id, entry, (transaction) =>
    recordChange(deps, context, workspace, new URL(entry.issuer).host, transaction),
  );
  return isSaved ? { done: 'saved' } : { status: 400, problem: message('companyFieldsMissing') };
}

/** Why an issuer cannot be stored: it must be an address that the service may reach. */
function issuerProblem(issuer: string, policy: OutgoingPolicy): Message | undefined {
  try {
    const url = outgoingUrl(issuer, policy);
    // OpenID Connect Discovery 1.0 §3: an issuer has no query.
    return url.search === '' && issuer.length <= MAX_LENGTH ? undefined : message('issuerNotHttps');
  } catch (error) {
    if (error instanceof OutgoingError) {
      return message(FAILURES[error.failure]);
    }
    throw error;
  }
}

async function test(
  deps: CompanySettingsDeps,
  { account }: AuthenticatedRequest,
  { id }: Membership,
): Promise<Outcome> {
  const provider = await deps.providers.of(id);
  if (provider === undefined) {
    return { status: 400, problem: message('cannotBeDone') };
  }
  const refusal = await takeCheck(deps, account.id);
  if (refusal !== undefined) {
    return refusal;
  }
  try {
    await deps.openId.test(deps.signIn.clientOf(provider));
    return { status: 200, note: message('companyWorks') };
  } catch (error) {
    if (error instanceof ProviderError) {
      const { failure, details } = error;
      return { status: 422, problem: message(FAILURES[failure]), details };
    }
    throw error;
  }
}

async function checkDomain(
  deps: CompanySettingsDeps,
  context: AuthenticatedRequest,
  workspace: Membership,
  domain: string,
): Promise<Outcome> {
  const provider = await deps.providers.of(workspace.id);
  if (provider?.domains.some(({ name }) => name === domain) !== true) {
    return { status: 400, problem: message('cannotBeDone') };
  }
  const refusal = await takeCheck(deps, context.account.id);
  if (refusal !== undefined) {
    return refusal;
  }
  const record = recordFor(deps.formTokens, workspace.id, domain);
  if (!(await isPublished(deps.resolveTxt, record))) {
    return { status: 404, problem: message('domainNotFound', { domain }) };
  }
  await deps.providers.confirm(workspace.id, domain, (transaction) =>
    recordChange(deps, context, workspace, domain, transaction),
  );
  return { done: 'saved' };
}

async function remove(
  deps: CompanySettingsDeps,
  context: AuthenticatedRequest,
  workspace: Membership,
  form: URLSearchParams,
): Promise<Outcome> {
  if (form.get('confirm') !== 'yes') {
    return { status: 400, problem: message('tickTheBox') };
  }
  await deps.providers.remove(workspace.id, (transaction) =>
    recordChange(deps, context, workspace, undefined, transaction),
  );
  return { done: 'companyRemoved' };
}

async function takeCheck(
  { limit }: CompanySettingsDeps,
  accountId: string,
): Promise<Outcome | undefined> {
  const taken = await limit.consume([{ key: ['company checks', accountId], max: MAX_CHECKS }]);
  return 'waitSeconds' in taken
    ? {
        status: 429,
        problem: message('tooManyRequests', { time: waitDuration(taken.waitSeconds) }),
      }
    : undefined;
}

/** @param value what is in use now; undefined when the company account was removed. */
function recordChange(
  { audit }: CompanySettingsDeps,
  { response, account }: AuthenticatedRequest,
  workspace: Membership,
  name: string | undefined,
  transaction: Parameters<Audit>[3],
): Promise<void> {
  return audit(
    response,
    COMPANY_EVENTS.providerChanged,
    { by: account.id, workspace: workspace.id, ...(name !== undefined && { details: { name } }) },
    transaction,
  );
}
