import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounts } from '../accounts/accounts.js';
import type { CompanyIdentities } from '../company/identities.js';
import type { CompanySignIn } from '../company/index.js';
import type { Invitations } from '../invitations/invitations.js';
import { PasswordChanges } from '../passwords/password-changes.js';
import type { PasswordCheck } from '../passwords/password-check.js';
import type { Database } from '../../kernel/database/database.js';
import { getAndPost, type Route } from '../../kernel/http/router.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { SessionGuard } from '../session/session-guard.js';
import { accountPage } from './account-page.js';
import type { Audit } from '../accounts/audit.js';
import { browsersPage } from './browsers-page.js';
import { confirmEmailPage } from './confirm-email-page.js';
import { emailPage } from './email-page.js';
import { forgotPage } from './forgot-page.js';
import { EmailAddresses } from '../accounts/email-addresses.js';
import type { PasswordHelp } from '../passwords/password-help.js';
import { invitationPage } from './invitation-page.js';
import { OneTimeLink } from './one-time-link.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { resetPage } from './reset-page.js';
import type { AuthenticatorApps } from '../second-factor/authenticator-apps.js';
import type { Passkeys } from '../second-factor/passkeys.js';
import { authenticatorPage } from './authenticator-page.js';
import { signInPage } from './sign-in-page.js';

/** The longest time between the check of a password and the new session, in milliseconds; it usually takes a few. */
const SETTLE_MS = 1000;

export interface PeopleRoutesDeps {
  readonly guard: SessionGuard;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly invitations: Invitations;
  readonly identities: CompanyIdentities;
  readonly companySignIn: CompanySignIn;
  readonly passwords: PasswordCheck;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
  readonly baseUrl: string;
  readonly audit: Audit;
  readonly now: () => Date;
  /** See `AccountPageParts`. */
  readonly demoUsername: string | undefined;
  readonly passkeys: Passkeys;
  readonly authenticators: AuthenticatorApps;
  readonly help: PasswordHelp;
}

/** The pages of a person: the account, how they sign in, and the links that were mailed to them. */
export function peopleRoutes(deps: PeopleRoutesDeps): Route[] {
  const { guard, database, now, baseUrl, audit, invitations } = deps;
  const passwordChanges = new PasswordChanges(database, now, () => sleep(SETTLE_MS));
  const emailAddresses = new EmailAddresses(database, now);
  const links = { limit: deps.limit, isSecure: baseUrl.startsWith('https:') };
  const invitationLink = new OneTimeLink(
    { path: PEOPLE_PATHS.invitation, cookie: 'cws_invite', prefix: 'svc_inv_' },
    links,
  );
  const resetLink = new OneTimeLink(
    { path: PEOPLE_PATHS.reset, cookie: 'cws_reset', prefix: 'svc_rst_' },
    links,
  );
  const emailLink = new OneTimeLink(
    { path: PEOPLE_PATHS.confirmEmail, cookie: 'cws_email', prefix: 'svc_eml_' },
    links,
  );
  const invitation = invitationPage({ ...deps, link: invitationLink, invitations, audit });
  const reset = resetPage({ ...deps, link: resetLink, passwordChanges, audit });
  const account = accountPage({ ...deps, passwordChanges, emailAddresses, audit });
  const confirmEmail = confirmEmailPage({ ...deps, link: emailLink, emailAddresses, audit });
  const email = emailPage({ ...deps, emailAddresses, audit });
  return [
    guard.page(PEOPLE_PATHS.account, getAndPost(account)),
    guard.page(SETTINGS.browsers, getAndPost(browsersPage(deps))),
    guard.ownPage(SETTINGS.secondFactors, getAndPost(signInPage(deps))),
    guard.ownPage(SETTINGS.authenticator, getAndPost(authenticatorPage(deps))),
    guard.ownPage(PEOPLE_PATHS.email, getAndPost(email)),
    guard.openPage(PEOPLE_PATHS.invitation, getAndPost(invitation)),
    guard.openPage(PEOPLE_PATHS.reset, getAndPost(reset)),
    guard.openPage(PEOPLE_PATHS.confirmEmail, getAndPost(confirmEmail)),
    guard.openPage(PEOPLE_PATHS.forgotPassword, getAndPost(forgotPage(deps))),
  ];
}
