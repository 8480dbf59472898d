import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/settings/security/company-account', WORKSPACE, SIGNED_IN),
  post(
    '/settings/security/company-account',
    {
      ...{ ...CSRF, ...WORKSPACE, action: 'save', issuer: 'https%3A%2F%2Flogin.example' },
      ...{ client_id: 'fuzz', client_secret: 'fuzz', domains: '{{company.domain}}' },
      admits: 'domain',
    },
    SIGNED_IN,
  ),
  get('/sign-in/company', { to: '/photos' }),
  post(
    '/sign-in/company',
    { csrf: '{{browserUser.csrf}}', company: '{{company.domain}}' },
    { Cookie: '{{browserUser.cookie}}' },
  ),
  // There is no provider that could answer.
  get('/sign-in/company/none'),
  get('/sign-in/company/none/callback', { code: 'none', state: 'none' }),
  get('/sign-in/link', {}, { Cookie: '{{company.cookie}}' }),
  post(
    '/sign-in/link',
    { csrf: '{{company.csrf}}', decision: 'create' },
    { Cookie: '{{company.cookie}}' },
  ),
] satisfies readonly FuzzRequest[];
