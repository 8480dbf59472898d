import type { FuzzRequest } from './fuzz-request.js';
import { get, post, send } from './request-makers.js';

const SIGNED_IN = { Cookie: '{{settings.cookie}}' };
const CSRF = { csrf: '{{settings.csrf}}' };
const WORKSPACE = { workspace: '{{workspace.own}}' };

const PHOTO = '/photos/{{own.photo}}';
const PROJECT = '/projects/{{own.project}}';
const MATE = '/settings/people/{{mate.account}}';
const SHARE = '/shares/{{own.share}}';
const LINK = '/s/{{share.token}}';
const LOCKED = '/s/{{locked.token}}';
const GUEST = { csrf: '{{guest.csrf}}', version: '{{own.photo}}', name: 'Anna' };
const BY_GUEST = { Cookie: '{{guest.cookie}}' };
/** The headers of the script that uploads from a page. */
const SCRIPT = {
  ...SIGNED_IN,
  'X-CSRF-Token': '{{settings.csrf}}',
  'X-Workspace': '{{workspace.own}}',
  'Tus-Resumable': '1.0.0',
};
const SENT = '/photos/uploads/{{own.sending}}';
const BYTES = { 'Content-Type': 'application/offset+octet-stream' };

const PHOTOS: readonly FuzzRequest[] = [
  get('/', {}, SIGNED_IN),
  get('/photos', WORKSPACE, SIGNED_IN),
  get(
    '/photos',
    { ...WORKSPACE, name: 'IMG', day: '2026-11-22', project: 'none', user: '{{own.account}}' },
    SIGNED_IN,
  ),
  get('/photos', { ...WORKSPACE, project: '{{own.project}}', after: '1.x' }, SIGNED_IN),
  get('/photos', { ...WORKSPACE, done: 'trashed', photo: '{{own.photo}}' }, SIGNED_IN),
  get('/photos/trash', { ...WORKSPACE, after: '1767225600000.x' }, SIGNED_IN),
  get(PHOTO, {}, SIGNED_IN),
  get(`${PHOTO}/compare`, { with: '{{own.photo}}' }, SIGNED_IN),
  get(`${PHOTO}/thumbnail`, {}, SIGNED_IN),
  get(`${PHOTO}/preview`, { v: '2' }, SIGNED_IN),
  get('/photos/{{own.document}}/page', { n: '1', as: 'thumbnail' }, SIGNED_IN),
  get('/photos/{{own.film}}/play', {}, SIGNED_IN),
  get('/photos/{{own.film}}/frames', { v: '1' }, SIGNED_IN),
  get(
    '/photos/{{own.film}}/markers',
    { format: 'edl', rate: '25', link: '{{own.share}}' },
    SIGNED_IN,
  ),
  get('/photos/{{own.film}}/markers', { format: 'fcpxml', rate: '25' }, SIGNED_IN),
  get(`${PHOTO}/file`, {}, SIGNED_IN),
  get(`${PHOTO}/file`, {}, { ...SIGNED_IN, Range: 'bytes=0-9' }),
  get(`${PHOTO}/file`, {}, { ...SIGNED_IN, 'If-None-Match': '*' }),
  get('/photos/{{own.trashed}}', {}, SIGNED_IN),
  post('/photos/zip', { ...CSRF, photo: '{{own.photo}}' }, SIGNED_IN),
  get('/photos/zip', WORKSPACE, SIGNED_IN),
  post('/photos/receipt', { ...CSRF, photo: '{{own.photo}}' }, SIGNED_IN),
  get('/photos/receipt', { ...WORKSPACE, project: '{{own.project}}' }, SIGNED_IN),
  get(`${PHOTO}/receipt`, {}, SIGNED_IN),
  get('/receipts/verify'),
  send(
    'POST',
    '/receipts/verify',
    { 'Content-Type': 'multipart/form-data; boundary=part' },
    '--part\r\nContent-Disposition: form-data; name="receipt"; filename="a.jws"\r\n\r\na.b.c\r\n--part--\r\n',
  ),
  get('/photos/zip', { ...WORKSPACE, project: '{{own.project}}', name: 'one' }, SIGNED_IN),
  post('/photos', { ...CSRF, photo: '{{own.second}}', action: 'trash' }, SIGNED_IN),
  post(
    '/photos/trash',
    { ...CSRF, ...WORKSPACE, photo: '{{own.second}}', action: 'restore' },
    SIGNED_IN,
  ),
  post(
    '/photos',
    { ...CSRF, photo: '{{own.photo}}', action: 'move', project: '{{own.project}}' },
    SIGNED_IN,
  ),
  post(
    '/settings/people/visibility',
    { ...CSRF, ...WORKSPACE, members: 'all', confirm: 'yes' },
    SIGNED_IN,
  ),
  get('/logos/{{own.logo}}'),
  post('/settings/people/logo', { ...CSRF, ...WORKSPACE, remove: 'yes' }, SIGNED_IN),
  post('/settings/people/visibility', { ...CSRF, ...WORKSPACE, members: 'own' }, SIGNED_IN),
  post(PHOTO, { ...CSRF, action: 'trash' }, SIGNED_IN),
  post('/photos/{{own.film}}', { ...CSRF, action: 'trash' }, SIGNED_IN),
  post('/photos', { ...CSRF, photo: '{{own.film}}', action: 'trash' }, SIGNED_IN),
  post(PHOTO, { ...CSRF, action: 'restore' }, SIGNED_IN),
  post(PHOTO, { ...CSRF, action: 'move', project: '{{own.project}}' }, SIGNED_IN),
  post(`${PHOTO}/answers`, { ...CSRF, done: '{{own.comment}}' }, SIGNED_IN),
  post(`${PHOTO}/answers`, { ...CSRF, reopen: '{{own.comment}}' }, SIGNED_IN),
  post(
    `${PHOTO}/answers`,
    { ...CSRF, reply: '{{own.comment}}', 'text-{{own.comment}}': 'Done' },
    SIGNED_IN,
  ),
  post(`${PHOTO}/answers`, { ...CSRF, delete: '{{own.comment}}' }, SIGNED_IN),
  post('/photos/{{own.trashed}}', { ...CSRF, action: 'remove', confirm: 'yes' }, SIGNED_IN),
];

const BROWSER_UPLOADS: readonly FuzzRequest[] = [
  send('POST', '/photos/uploads', {
    ...{ ...SCRIPT, 'Upload-Length': '9', 'Upload-Metadata': 'filename YS5qcGc=' },
  }),
  send(
    'POST',
    '/photos/uploads/known',
    { ...SCRIPT, 'Content-Type': 'application/json' },
    '{"files": [{"name": "a.jpg", "size": 9}]}',
  ),
  send('HEAD', SENT, SCRIPT),
  send('PATCH', SENT, { ...SCRIPT, ...BYTES, 'Upload-Offset': '0' }, 'some bytes of a photo'),
  send('DELETE', SENT, SCRIPT),
];

const PROJECTS: readonly FuzzRequest[] = [
  get('/projects', WORKSPACE, SIGNED_IN),
  get(PROJECT, {}, SIGNED_IN),
  post('/projects', { ...CSRF, ...WORKSPACE, name: 'Fuzz+here' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'rename', name: 'Fuzz+renamed' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'archive' }, SIGNED_IN),
  post(PROJECT, { ...CSRF, action: 'back' }, SIGNED_IN),
];

const LINKS: readonly FuzzRequest[] = [
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
  get('/shares/confirm-replies', { guest: 'g', share: 's', proof: 'p' }),
  post('/shares/confirm-replies', {}),
  get('/shares/unsubscribe', { account: 'a', share: 's', proof: 'p' }),
  post('/shares/unsubscribe', { all: '1' }),
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
];

const USERS: readonly FuzzRequest[] = [
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
  get('/settings/people', WORKSPACE, SIGNED_IN),
  get(MATE, WORKSPACE, SIGNED_IN),
  get('/settings/people/invitations/new', WORKSPACE, SIGNED_IN),
  post('/settings/people/invitations/new', { ...CSRF, ...WORKSPACE, role: 'member' }, SIGNED_IN),
  post(
    '/settings/people/invitations',
    { ...CSRF, ...WORKSPACE, invitation: '{{own.invitation}}' },
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
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'role', role: 'owner' }, SIGNED_IN),
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'role', role: 'member' }, SIGNED_IN),
  post(MATE, { ...CSRF, ...WORKSPACE, action: 'remove', confirm: 'yes' }, SIGNED_IN),
];

const WEBHOOK = '/settings/developer/webhooks/{{own.webhook}}';
/** What a form of a webhook contains. Events of links are the rarest, so that little is sent. */
const HOOK = { url: 'https%3A%2F%2Fhooks.example%2Ffuzz', events: 'link' };
const SIGN_IN_PAGES = '/settings/account/sign-in';

/** The settings of a workspace, for its owners. */
const RULES: readonly FuzzRequest[] = [
  get('/settings/security', WORKSPACE, SIGNED_IN),
  post(
    '/settings/security/second-factor',
    { ...CSRF, ...WORKSPACE, second_factor: 'yes' },
    SIGNED_IN,
  ),
  post('/settings/security/second-factor', { ...CSRF, ...WORKSPACE }, SIGNED_IN),
  post(
    '/settings/security/personal-tokens',
    { ...CSRF, ...WORKSPACE, personal_tokens: 'yes' },
    SIGNED_IN,
  ),
  post(
    '/settings/security/code-sign-in',
    { ...CSRF, ...WORKSPACE, sign_in: 'number', apps: 'official' },
    SIGNED_IN,
  ),
  post(
    '/settings/security/code-sign-in',
    { ...CSRF, ...WORKSPACE, sign_in: 'standard' },
    SIGNED_IN,
  ),
  get('/settings/security/company-account', WORKSPACE, SIGNED_IN),
  post(
    '/settings/security/company-account',
    {
      ...{ ...CSRF, ...WORKSPACE, action: 'save', issuer: 'https%3A%2F%2Flogin.example' },
      ...{ client_id: 'fuzz', client_secret: 'fuzz', domains: '{{company.domain}}' },
      admits: 'domain',
    },
    SIGNED_IN,
  ),
  get('/settings/activity', WORKSPACE, SIGNED_IN),
  get('/settings/activity', { ...WORKSPACE, kind: 'member', user: '{{own.account}}' }, SIGNED_IN),
  get('/settings/activity/export', WORKSPACE, SIGNED_IN),
  get('/settings/developer/webhooks/new', WORKSPACE, SIGNED_IN),
  post('/settings/developer/webhooks/new', { ...CSRF, ...WORKSPACE, ...HOOK }, SIGNED_IN),
  get(WEBHOOK, {}, SIGNED_IN),
  post(WEBHOOK, { ...CSRF, action: 'save', ...HOOK }, SIGNED_IN),
  post(WEBHOOK, { ...CSRF, action: 'rotate', confirm: 'yes' }, SIGNED_IN),
];

/** A user's own account. */
const OWN_ACCOUNT: readonly FuzzRequest[] = [
  get('/settings/account/activity', {}, SIGNED_IN),
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
  post('/settings/notices', { ...CSRF, ids: 'none' }, SIGNED_IN),
];

/** Pages of users who are not signed in. */
const SIGNED_OUT: readonly FuzzRequest[] = [
  get('/forgot-password'),
  post(
    '/forgot-password',
    { csrf: '{{browserUser.csrf}}', login: 'nobody' },
    { Cookie: '{{browserUser.cookie}}' },
  ),
  get('/confirm-email', { token: '{{email.token}}' }),
  get('/confirm-email', {}, { Cookie: '{{email.cookie}}' }),
  post('/confirm-email', { csrf: '{{email.csrf}}' }, { Cookie: '{{email.cookie}}' }),
  get('/sign-in/company', { to: '/photos' }),
  post(
    '/sign-in/company',
    { csrf: '{{browserUser.csrf}}', company: '{{company.domain}}' },
    { Cookie: '{{browserUser.cookie}}' },
  ),
  // There is no provider that could answer.
  get('/sign-in/company/none'),
  get('/sign-in/company/none/callback', { code: 'none', state: 'none' }),
  get('/sign-in/link', {}, { Cookie: '{{company.cookie}}' }),
  post(
    '/sign-in/link',
    { csrf: '{{company.csrf}}', decision: 'create' },
    { Cookie: '{{company.cookie}}' },
  ),
];

/** Requests of control users' browsers for pages of a workspace and links, in a valid order. */
export const PAGE_REQUESTS: readonly FuzzRequest[] = [
  ...PHOTOS,
  ...BROWSER_UPLOADS,
  ...PROJECTS,
  ...LINKS,
  ...USERS,
  ...RULES,
  ...OWN_ACCOUNT,
  ...SIGNED_OUT,
];
