import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

const PROJECT = '/projects/{{own.project}}';

export default [
  get('/projects', WORKSPACE, SIGNED_IN),
  get(PROJECT, {}, SIGNED_IN),
  post('/projects', { ...CSRF, ...WORKSPACE, name: 'Fuzz+here' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'rename', name: 'Fuzz+renamed' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'archive' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'back' }, SIGNED_IN),
] satisfies readonly FuzzRequest[];
