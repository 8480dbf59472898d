import type { Provider } from 'oidc-provider';
import type { Job } from '../kernel/jobs/jobs.js';
import type { Kernel } from '../kernel/kernel.js';
import type { MailDeclaration, MailLinks } from '../kernel/mail/mail-declaration.js';
import { openMailTransport, type MailOptions } from '../kernel/mail/mail-transport.js';
import { secretKeys } from '../kernel/secret-box.js';
import type { CodeSignInPolicy } from './access/code-sign-in.js';
import { Accounts } from './accounts/accounts.js';
import { auditInto, type Audit } from './accounts/audit.js';
import { DEMO_ACCOUNT } from './accounts/demo.js';
import { EmailAddresses } from './accounts/email-addresses.js';
import { PersonalTokens } from './accounts/personal-access-tokens.js';
import {
  CompanySignIn,
  type BegunSignIn,
  type NewcomerIdentity,
} from './company/company-sign-in.js';
import type { ResolveTxt } from './company/domain-names.js';
import { CompanyIdentities } from './company/identities.js';
import { IdentityProviders } from './company/identity-providers.js';
import { OpenIdClient } from './company/openid-provider.js';
import { companyRoutes } from './company/routes.js';
import { SealedCookie } from './company/sealed-cookie.js';
import { CsrfTokens } from './csrf/csrf.js';
import { Invitations } from './invitations/invitations.js';
import { MailComposer } from './mail/mail-composer.js';
import { MailSender } from './mail/mail-sender.js';
import { SECRETS } from './module.js';
import { noticesOf } from './notices/notice-words.js';
import { peopleRoutes } from './pages/routes.js';
import { PasswordChanges } from './passwords/password-changes.js';
import { PasswordCheck } from './passwords/password-check.js';
import { TrustedDevices } from './passwords/trusted-devices.js';
import { AuthenticatorApps } from './second-factor/authenticator-apps.js';
import { PasskeyChallenges } from './second-factor/passkey-challenge.js';
import { Passkeys } from './second-factor/passkeys.js';
import { PasswordProofs } from './second-factor/password-proof.js';
import { SecondFactor } from './second-factor/second-factor.js';
import { securityRoutes } from './security/routes.js';
import { SessionGuard } from './session/session-guard.js';

export interface IdentityOptions {
  readonly demoAccount: boolean;
  readonly showDemoAccount: boolean;
  readonly codeSignIn: CodeSignInPolicy;
  readonly mail?: MailOptions | undefined;
  readonly helpContact?: string | undefined;
  readonly resolveTxt: ResolveTxt;
}

/** What sessions and tokens are issued with. */
export interface Issuing {
  readonly accounts: Accounts;
  readonly audit: Audit;
  readonly formTokens: CsrfTokens;
}

/** What the module gives to later ones. */
export type Identity = ReturnType<typeof startIdentity>;

/** @param openProvider opens the provider that stores the sessions of browsers */
export function startIdentity(
  kernel: Kernel,
  options: IdentityOptions,
  openProvider: (issuing: Issuing) => Provider,
) {
  const { database, addressOf, isSecure, limit, log, now, baseUrl, events, outgoing } = kernel;
  const keys = secretKeys(kernel.secrets.boxKey, SECRETS);
  const accounts = new Accounts(database, options.demoAccount ? undefined : DEMO_ACCOUNT.password);
  const audit = auditInto({ log, database, append: kernel.appendEvent, addressOf, now });
  const formTokens = new CsrfTokens(kernel.secrets.formKey);
  const mailProof: MailLinks['proof'] = (...about) => formTokens.make('mail', ...about);
  const provider = openProvider({ accounts, audit, formTokens });
  const guard = new SessionGuard({ ...kernel, provider, formTokens, notices: noticesOf(events) });
  const passwords = new PasswordCheck({
    accounts,
    limit,
    addressOf,
    trustedDevices: new TrustedDevices(formTokens, isSecure, now),
  });
  const challenges = new PasskeyChallenges(formTokens, limit, now);
  const passkeys = new Passkeys({ database, challenges, baseUrl, now });
  const authenticators = new AuthenticatorApps(database, keys.totp, now);
  const secondFactor = new SecondFactor({ ...kernel, authenticators, passkeys, audit });
  const invitations = new Invitations(database, now);
  const providers = new IdentityProviders(database, keys['identity-provider'], now);
  const identities = new CompanyIdentities(database, invitations, now);
  const openId = new OpenIdClient(outgoing);
  const newcomer = new SealedCookie<NewcomerIdentity>('cws_identity', {
    key: keys.newcomer,
    isSecure,
    now,
  });
  const companyCookie = { key: keys['company-sign-in'], isSecure, now };
  const companySignIn = new CompanySignIn({
    ...kernel,
    providers,
    identities,
    openId,
    begun: new SealedCookie<BegunSignIn>('cws_company', companyCookie),
    newcomer,
    choose: new SealedCookie<{ readonly workspaceId: string }>('cws_choose', companyCookie),
    invitations,
    audit,
  });
  const help = { sendsMail: options.mail !== undefined, contact: options.helpContact };
  const { codeSignIn, resolveTxt } = options;
  const own = { ...kernel, codeSignIn, accounts, audit, formTokens, guard, invitations };
  const company = { providers, identities, openId, newcomer, companySignIn };
  const demoUsername = options.demoAccount ? DEMO_ACCOUNT.username : undefined;
  return {
    routes: [
      ...peopleRoutes({
        ...own,
        ...company,
        passwords,
        passkeys,
        authenticators,
        help,
        demoUsername,
      }),
      ...companyRoutes({ ...own, ...company, resolveTxt }),
      ...securityRoutes(own),
    ],
    jobs: [],
    /** Sends mails, also those that later modules declare; nothing without a mail server. */
    mailJobs: (mails: readonly MailDeclaration[]): Job[] =>
      options.mail === undefined
        ? []
        : [mailJob(kernel, options, options.mail, { mails, proof: mailProof })],
    provider,
    accounts,
    audit,
    formTokens,
    mailProof,
    guard,
    personalTokens: new PersonalTokens(database, now),
    passwords,
    secondFactor,
    authenticators,
    proofs: new PasswordProofs(formTokens, (id) => accounts.passwordHash(id), now),
    invitations,
    providers,
    help,
    shownDemoAccount: options.demoAccount && options.showDemoAccount ? DEMO_ACCOUNT : undefined,
  };
}

/** Sends mail. */
function mailJob(
  kernel: Kernel,
  { helpContact }: IdentityOptions,
  mail: MailOptions,
  declared: { readonly mails: readonly MailDeclaration[]; readonly proof: MailLinks['proof'] },
): Job {
  const { database, now, baseUrl, events } = kernel;
  const composer = new MailComposer({
    ...kernel,
    passwordChanges: new PasswordChanges(database, now, () => Promise.resolve()),
    invitations: new Invitations(database, now),
    emailAddresses: new EmailAddresses(database, now),
    notices: noticesOf(events),
    ...declared,
    helpContact,
  });
  const sender = new MailSender({
    ...kernel,
    transport: openMailTransport(mail, baseUrl),
    composer,
  });
  return { run: (signal) => sender.run(signal), everyMs: 2000, isSeparate: true };
}
