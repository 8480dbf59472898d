import type { FuzzRequest } from '../../attacks/fuzz/fuzz-request.js';
import { BEARER, SIGNED_IN, get, send, type Fields } from '../../attacks/fuzz/request-makers.js';

const TUS = { 'Tus-Resumable': '1.0.0' };
const BYTES = { 'Content-Type': 'application/offset+octet-stream' };
const UPLOADS = '/api/v1/uploads';
/** The headers of the script that uploads from a page. */
const SCRIPT = {
  ...SIGNED_IN,
  'X-CSRF-Token': '{{settings.csrf}}',
  'X-Workspace': '{{workspace.own}}',
  'Tus-Resumable': '1.0.0',
};
const SENT = '/photos/uploads/{{own.sending}}';

function tus(method: string, path: string, headers: Fields, body?: string): FuzzRequest {
  const all = { ...BEARER, ...TUS, ...headers, ...(body === undefined ? {} : BYTES) };
  return send(method, path, all, body);
}

function known(body: string): FuzzRequest {
  const headers = { ...BEARER, 'Content-Type': 'application/json' };
  return send('POST', `${UPLOADS}/known`, headers, body);
}

export default [
  get(UPLOADS, {}, BEARER),
  get(UPLOADS, {}, { Authorization: 'Bearer {{own.pat}}' }),
  tus('OPTIONS', UPLOADS, {}),
  tus('OPTIONS', UPLOADS, {
    'Access-Control-Request-Method': 'PATCH',
    Origin: 'https://a.example',
  }),
  tus('POST', UPLOADS, { 'Upload-Length': '9', 'Upload-Metadata': 'filename YS5qcGc=' }),
  tus(
    'POST',
    UPLOADS,
    { 'Upload-Length': '9', 'Upload-Metadata': 'filename YS5qcGc=' },
    'ninebytes',
  ),
  tus('POST', UPLOADS, {
    'Upload-Length': '9',
    'Upload-Metadata': 'client_upload_id MDEyMzQ1Njc4OWFiY2RlZg==',
  }),
  get(UPLOADS, { sha256: '0'.repeat(64) }, BEARER),
  known('{"files":[{"name":"a.jpg","size":9},{"name":"photo","size":1}]}'),
  tus(
    'POST',
    UPLOADS,
    {
      'Upload-Length': '9',
      'Upload-Metadata': 'filename YS5qcGc=',
      'Repr-Digest': 'crc32c=:AAAAAA==:',
    },
    'ninebytes',
  ),
  tus(
    'POST',
    `${UPLOADS}/{{own.open}}`,
    { 'Upload-Offset': '0', 'X-HTTP-Method-Override': 'PATCH' },
    'some bytes of a photo',
  ),
  tus('POST', `${UPLOADS}/{{other.done}}`, { 'X-HTTP-Method-Override': 'DELETE' }),
  tus('HEAD', `${UPLOADS}/{{own.open}}`, {}),
  tus('HEAD', `${UPLOADS}/{{own.done}}`, {}),
  tus('PATCH', `${UPLOADS}/{{own.open}}`, { 'Upload-Offset': '0' }, 'some bytes of a photo'),
  tus('DELETE', `${UPLOADS}/{{own.open}}`, {}),
  tus('DELETE', `${UPLOADS}/{{own.done}}`, {}),
  tus('HEAD', `${UPLOADS}/{{other.done}}`, {}),
  tus('HEAD', `${UPLOADS}/{{other.open}}`, {}),
  tus(
    'PATCH',
    `${UPLOADS}/{{other.open}}`,
    { 'Upload-Offset': '{{other.offset}}' },
    '{{big:7807}}',
  ),
  tus('DELETE', `${UPLOADS}/{{other.open}}`, {}),
  tus('DELETE', `${UPLOADS}/{{other.done}}`, {}),
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
] satisfies readonly FuzzRequest[];
