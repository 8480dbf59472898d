import type { Accounts } from '../accounts/accounts.js';
import type { Audit } from '../accounts/audit.js';
import type { CompanyIdentities } from './identities.js';
import type { IdentityProviders } from './identity-providers.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { Invitations } from '../invitations/invitations.js';
import type { SessionGuard } from '../session/session-guard.js';
import type { OutgoingPolicy } from '../../kernel/http/outgoing.js';
import { getAndPost, type Route } from '../../kernel/http/router.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { companySettings } from './company-settings.js';
import type { CompanySignIn, NewcomerIdentity } from './company-sign-in.js';
import type { ResolveTxt } from './domain-names.js';
import { findCompany } from './find-company.js';
import { newcomerAccount } from './newcomer.js';
import type { OpenIdClient } from './openid-provider.js';
import type { SealedCookie } from './sealed-cookie.js';

export interface CompanyRoutesDeps {
  readonly guard: SessionGuard;
  readonly accounts: Accounts;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly baseUrl: string;
  readonly invitations: Invitations;
  readonly providers: IdentityProviders;
  readonly identities: CompanyIdentities;
  readonly companySignIn: CompanySignIn;
  readonly openId: OpenIdClient;
  readonly newcomer: SealedCookie<NewcomerIdentity>;
  /** Which servers an owner may enter. */
  readonly outgoing: OutgoingPolicy;
  readonly resolveTxt: ResolveTxt;
}

/** The sign-in with the account of a company, and its settings. */
export function companyRoutes(deps: CompanyRoutesDeps): Route[] {
  const { guard, companySignIn: signIn, outgoing: policy } = deps;
  return [
    guard.openPage(COMPANY_PATHS.find, getAndPost(findCompany(deps))),
    guard.openPage(COMPANY_PATHS.link, getAndPost(newcomerAccount(deps))),
    guard.openPage(COMPANY_PATHS.start(':id'), {
      GET: (context) => signIn.startPage(context),
    }),
    guard.openPage(COMPANY_PATHS.callback(':id'), {
      GET: (context, { session }) => signIn.callbackPage(context, session),
    }),
    guard.page(SETTINGS.companyAccount, getAndPost(companySettings({ ...deps, signIn, policy }))),
  ];
}
