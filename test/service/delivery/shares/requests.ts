import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post, send } from '../../attacks/fuzz/request-makers.js';

const SHARE = '/shares/{{own.share}}';
const LINK = '/s/{{share.token}}';
const LOCKED = '/s/{{locked.token}}';
const GUEST = { csrf: '{{guest.csrf}}', version: '{{own.photo}}', name: 'Anna' };
const BY_GUEST = { Cookie: '{{guest.cookie}}' };

export default [
  send(
    'POST',
    '/api/v1/shares',
    { Authorization: 'Bearer {{own.all}}', 'Content-Type': 'application/json' },
    JSON.stringify({ uploads: ['{{own.photo}}', '{{own.second}}'], days: 1 }),
  ),
  get('/shares', WORKSPACE, SIGNED_IN),
  get('/shares/labels', WORKSPACE, SIGNED_IN),
  post('/shares/labels', { ...CSRF, ...WORKSPACE, label1: 'Retouch' }, SIGNED_IN),
  get('/shares/new', { photo: '{{own.photo}}' }, SIGNED_IN),
  get('/shares/new', { project: '{{own.project}}' }, SIGNED_IN),
  post('/shares/new', { ...CSRF, photo: '{{own.photo}}', days: '30' }, SIGNED_IN),
  post(
    '/shares/new',
    { ...CSRF, project: '{{own.project}}', days: '1', password: 'a+word+for+guests' },
    SIGNED_IN,
  ),
  get(SHARE, {}, SIGNED_IN),
  post(
    SHARE,
    {
      ...{ ...CSRF, title: 'Fuzz', message: 'For+you', cover: '{{own.photo}}', downloads: 'web' },
      ...{ until: '2026-11-22', 'until-shown': '2026-11-22', 'until-offset': '0', password: '' },
    },
    SIGNED_IN,
  ),
  get(`${SHARE}/answers`, {}, SIGNED_IN),
  get(`${SHARE}/answers`, { answer: 'stars.4', guest: 'visitor', state: 'open' }, SIGNED_IN),
  get(`${SHARE}/answers.csv`, {}, SIGNED_IN),
  get(`${SHARE}/answers.txt`, { answer: 'label.2', guest: 'visitor', state: 'done' }, SIGNED_IN),
  get(`${SHARE}/contact-sheet`, {}, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, remove: 'visitor' }, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, restore: 'visitor' }, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, unknown: 'remove' }, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, known: 'visitor' }, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, invite: 'Noor' }, SIGNED_IN),
  post(`${SHARE}/answers`, { ...CSRF, feedback: 'closed' }, SIGNED_IN),
  get(`${SHARE}/revoke`, {}, SIGNED_IN),
  post(`${SHARE}/revoke`, CSRF, SIGNED_IN),
  get('/shares', { ...WORKSPACE, done: 'shareRevoked', revoked: '{{own.share}}' }, SIGNED_IN),
  post(`${SHARE}/restore`, CSRF, SIGNED_IN),
  get(LINK),
  get(LINK, { guest: 'visitor.x' }),
  get(LINK, { after: '1767225600000.x' }),
  get(`${LINK}/thumbnail`, { photo: '{{own.photo}}' }),
  get(`${LINK}/preview`, { photo: '{{own.photo}}', v: '2' }),
  get(`${LINK}/page`, { photo: '{{own.photo}}', n: '2' }),
  get(`${LINK}/frames`, { photo: '{{own.photo}}', v: '1' }),
  get(`${LINK}/play`, { photo: '{{own.photo}}', until: '1', code: 'x' }),
  get(`${LINK}/file`, { photo: '{{own.photo}}' }),
  get(`${LINK}/zip`),
  get(`${LINK}/photo`, { photo: '{{own.photo}}' }),
  post(`${LINK}/answers`, { ...GUEST, approve: '{{own.photo}}' }, BY_GUEST),
  post(`${LINK}/answers`, { ...GUEST, star4: '{{own.photo}}' }, BY_GUEST),
  post(`${LINK}/answers`, { ...GUEST, label2: '{{own.photo}}' }, BY_GUEST),
  post(`${LINK}/answers`, { ...GUEST, change: '{{own.photo}}' }, BY_GUEST),
  get(`${LINK}/name`, {}, BY_GUEST),
  post(`${LINK}/name`, { ...GUEST, name: 'Guest' }, BY_GUEST),
  get(`${LINK}/finish`, {}, BY_GUEST),
  post(`${LINK}/finish`, { ...GUEST, sentence: 'Fine' }, BY_GUEST),
  get(`${LINK}/replies`, {}, BY_GUEST),
  post(`${LINK}/replies`, { ...GUEST, email: 'guest@client.example' }, BY_GUEST),
  post(`${LINK}/replies`, { ...GUEST, stop: '1' }, BY_GUEST),
  post(
    `${LINK}/answers`,
    { ...GUEST, comment: '{{own.photo}}', text: 'Fine', x: '0.5', y: '1' },
    BY_GUEST,
  ),
  post(`${LINK}/answers`, { ...GUEST, delete: '{{own.photo}}' }, BY_GUEST),
  get(LOCKED, {}, { Cookie: '{{locked.cookie}}' }),
  get(`${LOCKED}/file`, { photo: '{{own.photo}}' }),
  post(
    LOCKED,
    { csrf: '{{locked.csrf}}', password: 'not+this+one' },
    { Cookie: '{{locked.cookie}}' },
  ),
  post(
    LOCKED,
    { csrf: '{{locked.csrf}}', password: '{{locked.password}}' },
    { Cookie: '{{locked.cookie}}' },
  ),
] satisfies readonly FuzzRequest[];
