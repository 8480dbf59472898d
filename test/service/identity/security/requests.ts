import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/settings/security', WORKSPACE, SIGNED_IN),
  post(
    '/settings/security/second-factor',
    { ...CSRF, ...WORKSPACE, second_factor: 'yes' },
    SIGNED_IN,
  ),
  post('/settings/security/second-factor', { ...CSRF, ...WORKSPACE }, SIGNED_IN),
  post(
    '/settings/security/personal-tokens',
    { ...CSRF, ...WORKSPACE, personal_tokens: 'yes' },
    SIGNED_IN,
  ),
  post(
    '/settings/security/code-sign-in',
    { ...CSRF, ...WORKSPACE, sign_in: 'number', apps: 'official' },
    SIGNED_IN,
  ),
  post(
    '/settings/security/code-sign-in',
    { ...CSRF, ...WORKSPACE, sign_in: 'standard' },
    SIGNED_IN,
  ),
] satisfies readonly FuzzRequest[];
