import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post } from '../../attacks/fuzz/request-makers.js';

const PHOTO = '/photos/{{own.photo}}';

export default [
  get('/'),
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
] satisfies readonly FuzzRequest[];
