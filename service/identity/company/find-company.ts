import type { IdentityProviders } from './identity-providers.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { OpenPageHandler } from '../session/authenticated-request.js';
import { sendPage } from '../../kernel/http/responses.js';
import { message, waitDuration } from '../../kernel/i18n/message.js';
import { COMPANY_PATHS, pageAfterSignIn } from '../../site/addresses/company-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { findCompanyPage, leaveForCompanyPage } from './company-pages.js';
import { domainIn } from './domain-names.js';

export interface FindCompanyDeps {
  readonly providers: IdentityProviders;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
}

/** How many domains without a company account one address may enter in 15 minutes. */
const MAX_UNKNOWN = 30;

/**
 * Finds the provider of a company by an e-mail address or a domain. Only confirmed domains count: their owners have made
 * in the DNS public that they use the service.
 */
export function findCompany({ providers, formTokens, limit }: FindCompanyDeps): OpenPageHandler {
  return async (context, { session }) => {
    const { form, query, response, clientAddress } = context;
    const to = pageAfterSignIn(query.get('to')) ?? PHOTOS.root;
    const csrf = session.signInCsrf();
    const entry = form?.get('company')?.trim() ?? '';
    const show = (status: number, problem?: Parameters<typeof findCompanyPage>[0]['problem']) => {
      sendPage(context, status, findCompanyPage({ csrf, to, entry, problem }));
    };
    if (form === undefined) {
      show(200);
      return;
    }
    if (!formTokens.matches(form.get('csrf'), csrf)) {
      show(403, message('signInAgain'));
      return;
    }
    const domain = domainIn(entry);
    if (domain === undefined) {
      show(400, message('companyAddressRule'));
      return;
    }
    const taken = await limit.consume([
      { key: ['unknown companies from address', clientAddress], max: MAX_UNKNOWN },
    ]);
    if ('waitSeconds' in taken) {
      response.setHeader('Retry-After', String(taken.waitSeconds));
      show(429, message('tooManyRequests', { time: waitDuration(taken.waitSeconds) }));
      return;
    }
    const provider = await providers.ofDomain(domain);
    if (provider === undefined) {
      show(404, message('companyUnknown', { domain }));
      return;
    }
    await limit.refund(taken);
    const parameters = new URLSearchParams({ to, ...(entry.includes('@') && { address: entry }) });
    const start = `${COMPANY_PATHS.start(provider.workspaceId)}?${parameters.toString()}`;
    sendPage(context, 200, leaveForCompanyPage({ host: new URL(provider.issuer).host, start }));
  };
}
