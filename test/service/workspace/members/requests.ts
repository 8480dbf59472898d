import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

const MATE = '/settings/people/{{mate.account}}';

export default [
  post(
    '/settings/people/visibility',
    { ...CSRF, ...WORKSPACE, members: 'all', confirm: 'yes' },
    SIGNED_IN,
  ),
  post('/settings/people/visibility', { ...CSRF, ...WORKSPACE, members: 'own' }, SIGNED_IN),
  get('/settings/people', WORKSPACE, SIGNED_IN),
  get(MATE, WORKSPACE, SIGNED_IN),
  get('/settings/people/invitations/new', WORKSPACE, SIGNED_IN),
  post('/settings/people/invitations/new', { ...CSRF, ...WORKSPACE, role: 'member' }, SIGNED_IN),
  post(
    '/settings/people/invitations',
    { ...CSRF, ...WORKSPACE, invitation: '{{own.invitation}}' },
    SIGNED_IN,
  ),
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'role', role: 'owner' }, SIGNED_IN),
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'role', role: 'member' }, SIGNED_IN),
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'remove', confirm: 'yes' }, SIGNED_IN),
] satisfies readonly FuzzRequest[];
