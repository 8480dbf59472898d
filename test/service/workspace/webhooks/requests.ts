import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

const WEBHOOK = '/settings/developer/webhooks/{{own.webhook}}';
/** What a form of a webhook contains. Events of links are the rarest, so that little is sent. */
const HOOK = { url: 'https%3A%2F%2Fhooks.example%2Ffuzz', events: 'link' };

export default [
  get('/settings/developer/webhooks/new', WORKSPACE, SIGNED_IN),
  post('/settings/developer/webhooks/new', { ...CSRF, ...WORKSPACE, ...HOOK }, SIGNED_IN),
  get(WEBHOOK, {}, SIGNED_IN),
  post(WEBHOOK, { ...CSRF, action: 'save', ...HOOK }, SIGNED_IN),
  post(WEBHOOK, { ...CSRF, action: 'rotate', confirm: 'yes' }, SIGNED_IN),
] satisfies readonly FuzzRequest[];
