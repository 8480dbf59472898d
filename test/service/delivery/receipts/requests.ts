import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { CSRF, SIGNED_IN, WORKSPACE, get, post, send } from '../../attacks/fuzz/request-makers.js';

const PHOTO = '/photos/{{own.photo}}';

export default [
  send(
    'POST',
    '/api/v1/receipts',
    { Authorization: 'Bearer {{own.all}}', 'Content-Type': 'application/json' },
    JSON.stringify({ uploads: ['{{own.photo}}'] }),
  ),
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
] satisfies readonly FuzzRequest[];
