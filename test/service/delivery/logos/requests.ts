import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/logos/{{own.logo}}'),
  post('/settings/people/logo', { ...CSRF, ...WORKSPACE, remove: 'yes' }, SIGNED_IN),
] satisfies readonly FuzzRequest[];
