import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, get, post } from '../../attacks/fuzz/request-makers.js';

const SIGN_IN_PAGES = '/settings/account/sign-in';

export default [
  get('/settings/account', {}, SIGNED_IN),
  post('/settings/account', { ...CSRF, action: 'name', display_name: 'Fuzz' }, SIGNED_IN),
  post(
    '/settings/account',
    {
      ...{ ...CSRF, action: 'password', password: 'not+the+old+one' },
      ...{ new_password: 'four+words+for+it', new_password_again: 'four+words+for+it' },
      end_browsers: 'yes',
    },
    SIGNED_IN,
  ),
  get('/invite', { token: '{{invite.token}}' }),
  get('/invite', {}, { Cookie: '{{invite.cookie}}' }),
  post(
    '/invite',
    {
      ...{ csrf: '{{invite.csrf}}', decision: 'create' },
      ...{ username: '{{invite.username}}', display_name: 'Guest' },
      ...{ new_password: 'four+words+for+it', new_password_again: 'four+words+for+it' },
    },
    { Cookie: '{{invite.cookie}}' },
  ),
  get('/new-password', { token: '{{reset.token}}' }),
  get('/new-password', {}, { Cookie: '{{reset.cookie}}' }),
  post(
    '/new-password',
    {
      csrf: '{{reset.csrf}}',
      ...{ new_password: 'four+words+for+it', new_password_again: 'four+words+for+it' },
    },
    { Cookie: '{{reset.cookie}}' },
  ),
  get('/settings/account/browsers', {}, SIGNED_IN),
  post('/settings/account/browsers', { ...CSRF, session_id: 'none' }, SIGNED_IN),
  get('/settings/account/email', {}, SIGNED_IN),
  post(
    '/settings/account/email',
    { ...CSRF, email: 'fuzz%40mail.example', password: '{{own.password}}' },
    SIGNED_IN,
  ),
  get(SIGN_IN_PAGES, {}, SIGNED_IN),
  post(SIGN_IN_PAGES, { ...CSRF, passkey_id: 'none' }, SIGNED_IN),
  get(`${SIGN_IN_PAGES}/authenticator`, {}, SIGNED_IN),
  // The right code would change how the user signs in, for all requests after it.
  post(`${SIGN_IN_PAGES}/authenticator`, { ...CSRF, code: '000000' }, SIGNED_IN),
  get('/forgot-password'),
  post(
    '/forgot-password',
    { csrf: '{{browserUser.csrf}}', login: 'nobody' },
    { Cookie: '{{browserUser.cookie}}' },
  ),
  get('/confirm-email', { token: '{{email.token}}' }),
  get('/confirm-email', {}, { Cookie: '{{email.cookie}}' }),
  post('/confirm-email', { csrf: '{{email.csrf}}' }, { Cookie: '{{email.cookie}}' }),
] satisfies readonly FuzzRequest[];
