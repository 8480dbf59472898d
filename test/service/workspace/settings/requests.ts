import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, get, post } from '../../attacks/fuzz/request-makers.js';

const SCOPE = 'uploads:write';
const APPLICATION = '/settings/developer/applications/{{app.id}}';

export default [
  post(
    '/settings/sign-in',
    { csrf: '{{browserUser.csrf}}', username: '{{own.username}}', password: '{{own.password}}' },
    { Cookie: '{{browserUser.cookie}}' },
  ),
  get('/settings', {}, SIGNED_IN),
  get('/settings/apps', { done: 'disconnected' }, SIGNED_IN),
  get('/settings/developer', {}, SIGNED_IN),
  get('/settings/developer/applications/new', { workspace: '{{workspace.own}}' }, SIGNED_IN),
  get('/settings/developer/tokens/new', {}, SIGNED_IN),
  get(APPLICATION, {}, SIGNED_IN),
  get('/settings/sign-in', { to: '/settings/developer' }),
  post('/settings/sign-in', { ...CSRF, username: 'nobody', password: 'x' }, SIGNED_IN),
  post(
    '/settings/sign-in',
    { ...CSRF, username: '{{other.username}}', password: 'guess' },
    SIGNED_IN,
  ),
  post('/settings/apps', { ...CSRF, grant_id: 'none' }, SIGNED_IN),
  post('/settings/apps', { ...CSRF, grant_id: '{{own.grant}}' }, SIGNED_IN),
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
    SIGNED_IN,
  ),
  post(
    APPLICATION,
    { ...CSRF, action: 'save', name: 'Fuzz', redirect_uris: '{{app.redirect}}', scope: SCOPE },
    SIGNED_IN,
  ),
  post(APPLICATION, { ...CSRF, action: 'rotate', confirm: 'yes' }, SIGNED_IN),
  post(APPLICATION, { ...CSRF, action: 'delete', confirm: 'no' }, SIGNED_IN),
  post(
    '/settings/developer/tokens/new',
    { ...CSRF, name: 'Fuzz', workspace: '{{workspace.own}}', scope: SCOPE, days: '30' },
    SIGNED_IN,
  ),
  post('/settings/developer/tokens', { ...CSRF, token_id: 'none' }, SIGNED_IN),
  post('/settings/developer/tokens', { ...CSRF, token_id: '{{own.spareToken}}' }, SIGNED_IN),
  post('/settings/sign-out', { csrf: '{{leaving.csrf}}' }, { Cookie: '{{leaving.cookie}}' }),
  post('/settings/notices', { ...CSRF, ids: 'none' }, SIGNED_IN),
] satisfies readonly FuzzRequest[];
