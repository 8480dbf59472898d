import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { SIGNED_IN, WORKSPACE, get } from '../../attacks/fuzz/request-makers.js';

export default [
  get('/settings/activity', WORKSPACE, SIGNED_IN),
  get('/settings/activity', { ...WORKSPACE, kind: 'member', user: '{{own.account}}' }, SIGNED_IN),
  get('/settings/activity/export', WORKSPACE, SIGNED_IN),
  get('/settings/account/activity', {}, SIGNED_IN),
] satisfies readonly FuzzRequest[];
