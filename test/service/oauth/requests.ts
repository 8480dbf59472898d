import type { FuzzRequest } from '../attacks/fuzz/fuzz-request.js';
import { CLIENT_ID, DEVICE_GRANT } from '../support/oauth-client.js';
import { DESKTOP_ID, DESKTOP_REDIRECT } from '../support/code-flow.js';
import { SIGNED_IN, get, post } from '../attacks/fuzz/request-makers.js';

const SCOPE = 'uploads:write';
const TOKEN = '/api/oauth/token';
const DEVICE = '/api/oauth/device_authorization';
const AUTHORIZE = {
  response_type: 'code',
  client_id: DESKTOP_ID,
  redirect_uri: encodeURIComponent(DESKTOP_REDIRECT),
  scope: SCOPE,
  state: 'some-state',
  code_challenge: '{{code.challenge}}',
  code_challenge_method: 'S256',
};
const APP = {
  ...AUTHORIZE,
  client_id: '{{app.id}}',
  redirect_uri: '{{app.redirect}}',
};
/** Parameters of OpenID Connect clients, which the service ignores and does not store. */
const NEEDLESS = {
  state: 'some-state',
  nonce: 'some-nonce',
  login_hint: 'me',
  ui_locales: 'en+de',
  acr_values: 'urn:x',
  display: 'page',
  resource: 'urn:creative-workspace:api:v1',
};
const PAGE = { Cookie: '{{page.cookie}}' };

export default [
  get('/.well-known/oauth-authorization-server'),
  get('/.well-known/oauth-protected-resource/api/v1'),
  get('/api/oauth/jwks'),
  post(DEVICE, { client_id: CLIENT_ID, scope: SCOPE }),
  post(DEVICE, { client_id: DESKTOP_ID, scope: 'uploads:write+uploads:read+offline_access' }),
  post(DEVICE, { client_id: CLIENT_ID, scope: SCOPE, ...NEEDLESS }),
  post(TOKEN, {
    client_id: CLIENT_ID,
    grant_type: DEVICE_GRANT,
    device_code: '{{device.pending}}',
  }),
  post(TOKEN, {
    client_id: CLIENT_ID,
    grant_type: DEVICE_GRANT,
    device_code: '{{device.allowed}}',
  }),
  post(TOKEN, {
    client_id: CLIENT_ID,
    grant_type: 'refresh_token',
    refresh_token: '{{own.refresh}}',
  }),
  post(TOKEN, {
    client_id: CLIENT_ID,
    grant_type: 'refresh_token',
    refresh_token: '{{own.refresh}}',
    refresh_attempt: 'Attempt_0123456789abcdef',
  }),
  post(TOKEN, {
    grant_type: 'authorization_code',
    client_id: DESKTOP_ID,
    code: '{{code.code}}',
    redirect_uri: encodeURIComponent(DESKTOP_REDIRECT),
    code_verifier: '{{code.verifier}}',
  }),
  post(
    TOKEN,
    { grant_type: 'refresh_token', refresh_token: '{{own.refresh}}' },
    { Authorization: 'Basic {{app.basic}}' },
  ),
  post(
    '/api/oauth/introspect',
    { token: '{{own.access}}' },
    { Authorization: 'Basic {{app.basic}}' },
  ),
  post('/api/oauth/revoke', { client_id: CLIENT_ID, token: '{{own.spare}}' }),
  post('/api/oauth/revoke', {
    client_id: CLIENT_ID,
    token: '{{own.refresh}}',
    token_type_hint: 'access_token',
  }),
  get('/oauth/device'),
  get('/oauth/device', { user_code: '{{device.user}}' }, PAGE),
  post(
    '/oauth/device',
    { xsrf: '{{page.xsrf}}', confirm: 'yes', user_code: '{{device.user}}' },
    PAGE,
  ),
  post('/oauth/device', { xsrf: '{{page.xsrf}}', user_code: '{{device.user}}' }, SIGNED_IN),
  get('/oauth/authorize', AUTHORIZE),
  get('/oauth/authorize', AUTHORIZE, SIGNED_IN),
  get('/oauth/authorize', { ...AUTHORIZE, ...NEEDLESS }, SIGNED_IN),
  get('/oauth/authorize', { ...AUTHORIZE, prompt: 'login', max_age: '0' }, SIGNED_IN),
  get('/oauth/authorize', APP),
  get('/oauth/authorize', APP, SIGNED_IN),
  get('{{login.path}}', {}, { Cookie: '{{login.cookie}}' }),
  post(
    '{{login.path}}',
    { csrf: '{{login.csrf}}', username: 'nobody', password: 'x' },
    {
      Cookie: '{{login.cookie}}',
    },
  ),
  post(
    '{{login.path}}',
    { csrf: '{{login.csrf}}', username: '{{own.username}}', password: '{{own.password}}' },
    { Cookie: '{{login.cookie}}' },
  ),
  get('{{consent.path}}', {}, { Cookie: '{{consent.cookie}}' }),
  post(
    '{{consent.path}}',
    { csrf: '{{consent.csrf}}', workspace: '{{workspace.own}}', decision: 'allow' },
    { Cookie: '{{consent.cookie}}' },
  ),
  post(
    '{{consent.path}}',
    { csrf: '{{consent.csrf}}', decision: 'deny' },
    {
      Cookie: '{{consent.cookie}}',
    },
  ),
  get('/oauth/device/{{login.uid}}', {}, { Cookie: '{{login.cookie}}' }),
  get('/oauth/authorize/{{consent.uid}}', {}, { Cookie: '{{consent.cookie}}' }),
] satisfies readonly FuzzRequest[];
