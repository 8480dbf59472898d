import { CLIENT_ID, DEVICE_GRANT } from '../../support/oauth-client.js';
import { DESKTOP_ID, DESKTOP_REDIRECT } from '../../support/code-flow.js';
import { apiRequests } from './api-requests.js';
import type { FuzzRequest } from './fuzz-request.js';
import { PAGE_REQUESTS } from './page-requests.js';
import { get, post, send, type Fields } from './request-makers.js';

const BEARER = { Authorization: 'Bearer {{own.access}}' };
const TUS = { 'Tus-Resumable': '1.0.0' };
const BYTES = { 'Content-Type': 'application/offset+octet-stream' };
const UPLOADS = '/api/v1/uploads';

function tus(method: string, path: string, headers: Fields, body?: string): FuzzRequest {
  const all = { ...BEARER, ...TUS, ...headers, ...(body === undefined ? {} : BYTES) };
  return send(method, path, all, body);
}

function known(body: string): FuzzRequest {
  const headers = { ...BEARER, 'Content-Type': 'application/json' };
  return send('POST', `${UPLOADS}/known`, headers, body);
}

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
const SETTINGS = { Cookie: '{{settings.cookie}}' };
const CSRF = { csrf: '{{settings.csrf}}' };
const PAGE = { Cookie: '{{page.cookie}}' };
const APPLICATION = '/settings/developer/applications/{{app.id}}';

/** A request of every kind that the service answers, as a well-behaved client sends it. */
export const VALID_REQUESTS: readonly FuzzRequest[] = [
  get('/healthz'),
  get('/.well-known/oauth-authorization-server'),
  get('/.well-known/oauth-protected-resource/api/v1'),
  get('/api/oauth/jwks'),
  get('/'),

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
  post('/oauth/device', { xsrf: '{{page.xsrf}}', user_code: '{{device.user}}' }, SETTINGS),
  get('/oauth/authorize', AUTHORIZE),
  get('/oauth/authorize', AUTHORIZE, SETTINGS),
  get('/oauth/authorize', { ...AUTHORIZE, ...NEEDLESS }, SETTINGS),
  get('/oauth/authorize', { ...AUTHORIZE, prompt: 'login', max_age: '0' }, SETTINGS),
  get('/oauth/authorize', APP),
  get('/oauth/authorize', APP, SETTINGS),
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
  post(
    '/settings/sign-in',
    { csrf: '{{browserUser.csrf}}', username: '{{own.username}}', password: '{{own.password}}' },
    { Cookie: '{{browserUser.cookie}}' },
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

  get('/settings', {}, SETTINGS),
  get('/settings/apps', { done: 'disconnected' }, SETTINGS),
  get('/settings/developer', {}, SETTINGS),
  get('/settings/developer/applications/new', { workspace: '{{workspace.own}}' }, SETTINGS),
  get('/settings/developer/tokens/new', {}, SETTINGS),
  get(APPLICATION, {}, SETTINGS),
  get('/settings/sign-in', { to: '/settings/developer' }),
  post('/settings/sign-in', { ...CSRF, username: 'nobody', password: 'x' }, SETTINGS),
  post(
    '/settings/sign-in',
    { ...CSRF, username: '{{other.username}}', password: 'guess' },
    SETTINGS,
  ),
  post('/settings/apps', { ...CSRF, grant_id: 'none' }, SETTINGS),
  post('/settings/apps', { ...CSRF, grant_id: '{{own.grant}}' }, SETTINGS),
  post(
    '/settings/developer/applications/new',
    {
      ...CSRF,
      workspace: '{{workspace.own}}',
      name: 'Fuzz',
      kind: 'public',
      redirect_uris: 'http%3A%2F%2F127.0.0.1%2Fcb',
      scope: SCOPE,
    },
    SETTINGS,
  ),
  post(
    APPLICATION,
    { ...CSRF, action: 'save', name: 'Fuzz', redirect_uris: '{{app.redirect}}', scope: SCOPE },
    SETTINGS,
  ),
  post(APPLICATION, { ...CSRF, action: 'rotate', confirm: 'yes' }, SETTINGS),
  post(APPLICATION, { ...CSRF, action: 'delete', confirm: 'no' }, SETTINGS),
  post(
    '/settings/developer/tokens/new',
    { ...CSRF, name: 'Fuzz', workspace: '{{workspace.own}}', scope: SCOPE, days: '30' },
    SETTINGS,
  ),
  post('/settings/developer/tokens', { ...CSRF, token_id: 'none' }, SETTINGS),
  post('/settings/developer/tokens', { ...CSRF, token_id: '{{own.spareToken}}' }, SETTINGS),
  post('/settings/sign-out', { csrf: '{{leaving.csrf}}' }, { Cookie: '{{leaving.cookie}}' }),
  post(
    '/language',
    { secret: '{{language.secret}}', language: 'de', page: '%2Fphotos' },
    { Cookie: '{{language.cookie}}' },
  ),

  send(
    'PATCH',
    '/api/v1/connection',
    { ...BEARER, 'Content-Type': 'application/json' },
    '{"device_name": "Fuzz"}',
  ),
  get(UPLOADS, {}, BEARER),
  get(UPLOADS, {}, { Authorization: 'Bearer {{own.pat}}' }),
  tus('OPTIONS', UPLOADS, {}),
  tus('OPTIONS', UPLOADS, {
    'Access-Control-Request-Method': 'PATCH',
    Origin: 'https://a.example',
  }),
  tus('POST', UPLOADS, { 'Upload-Length': '9', 'Upload-Metadata': 'filename YS5qcGc=' }),
  tus(
    'POST',
    UPLOADS,
    { 'Upload-Length': '9', 'Upload-Metadata': 'filename YS5qcGc=' },
    'ninebytes',
  ),
  tus('POST', UPLOADS, {
    'Upload-Length': '9',
    'Upload-Metadata': 'client_upload_id MDEyMzQ1Njc4OWFiY2RlZg==',
  }),
  get(UPLOADS, { sha256: '0'.repeat(64) }, BEARER),
  known('{"files":[{"name":"a.jpg","size":9},{"name":"photo","size":1}]}'),
  tus(
    'POST',
    UPLOADS,
    {
      'Upload-Length': '9',
      'Upload-Metadata': 'filename YS5qcGc=',
      'Repr-Digest': 'crc32c=:AAAAAA==:',
    },
    'ninebytes',
  ),
  tus(
    'POST',
    `${UPLOADS}/{{own.open}}`,
    { 'Upload-Offset': '0', 'X-HTTP-Method-Override': 'PATCH' },
    'some bytes of a photo',
  ),
  tus('POST', `${UPLOADS}/{{other.done}}`, { 'X-HTTP-Method-Override': 'DELETE' }),
  tus('HEAD', `${UPLOADS}/{{own.open}}`, {}),
  tus('HEAD', `${UPLOADS}/{{own.done}}`, {}),
  tus('PATCH', `${UPLOADS}/{{own.open}}`, { 'Upload-Offset': '0' }, 'some bytes of a photo'),
  tus('DELETE', `${UPLOADS}/{{own.open}}`, {}),
  tus('DELETE', `${UPLOADS}/{{own.done}}`, {}),
  tus('HEAD', `${UPLOADS}/{{other.done}}`, {}),
  tus('HEAD', `${UPLOADS}/{{other.open}}`, {}),
  tus(
    'PATCH',
    `${UPLOADS}/{{other.open}}`,
    { 'Upload-Offset': '{{other.offset}}' },
    '{{big:7807}}',
  ),
  tus('DELETE', `${UPLOADS}/{{other.open}}`, {}),
  tus('DELETE', `${UPLOADS}/{{other.done}}`, {}),

  ...PAGE_REQUESTS,
  ...apiRequests({
    ...{
      id: '{{own.photo}}',
      film: '{{own.film}}',
      project: '{{own.project}}',
      share: '{{own.spareShare}}',
    },
    comment: '{{own.spareComment}}',
    guest: '{{own.spareGuest}}',
    token: '{{own.all}}',
  }),
  send(
    'POST',
    '/api/v1/shares',
    { Authorization: 'Bearer {{own.all}}', 'Content-Type': 'application/json' },
    JSON.stringify({ uploads: ['{{own.photo}}', '{{own.second}}'], days: 1 }),
  ),
  send(
    'POST',
    '/api/v1/receipts',
    { Authorization: 'Bearer {{own.all}}', 'Content-Type': 'application/json' },
    JSON.stringify({ uploads: ['{{own.photo}}'] }),
  ),
];
