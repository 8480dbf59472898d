import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawConnection } from '../../attacks/raw-connection.js';
import { photo } from '../../support/tus-client.js';
import { BYTES, Peer, UPLOADS, type Ask } from '../../support/tus-peer.js';

const TEN = photo(10);

/** A requirement of the protocol for servers, and its test. */
type Kept = readonly [sentence: string, holds: (peer: Peer) => Promise<void>];

const CORE: readonly Kept[] = [
  [
    'Upload-Offset … MUST be a non-negative integer.',
    async (peer) => {
      const path = await peer.create();
      for (const offset of ['-1', '0.5', '1e0', ' ', 'x', '0x0', '00', '+0', '9'.repeat(30)])
        expect((await peer.patch(path, 0, TEN, { 'upload-offset': offset })).status).toBe(400);
      expect((await peer.patch(path, 0, TEN, { 'upload-offset': undefined })).status).toBe(400);
      expect(await peer.offset(path)).toBe('0');
    },
  ],
  [
    'Upload-Length … MUST be a non-negative integer.',
    async (peer) => {
      for (const length of ['-1', '0.5', '1e1', '', 'x', '0x1', '01', '+1']) {
        const headers = { 'upload-length': length };
        expect((await peer.ask({ method: 'POST', headers })).status).toBe(400);
      }
    },
  ],
  [
    'The Tus-Version response header MUST be a comma-separated list of protocol versions supported by the Server.',
    async (peer) => {
      expect((await peer.ask({ method: 'OPTIONS' })).headers['tus-version']).toBe('1.0.0');
    },
  ],
  [
    'The Tus-Resumable header MUST be included in every request …',
    async (peer) => {
      const path = await peer.create();
      const without = { 'tus-resumable': undefined };
      const told = await peer.patch(path, 0, TEN, without);
      expect([told.status, told.headers['tus-version']]).toEqual([412, '1.0.0']);
      expect(await peer.offset(path)).toBe('0');
    },
  ],
  [
    '… and response except for OPTIONS requests. The value MUST be the version of the protocol …',
    async (peer) => {
      const path = await peer.create();
      const patch = { ...BYTES, 'upload-offset': '0' };
      const length = { 'upload-length': '1' };
      const asked: readonly (readonly [number, Ask])[] = [
        [200, { method: 'HEAD', path }],
        [200, { method: 'GET' }],
        [204, { method: 'PATCH', path, headers: patch, body: TEN.slice(0, 5) }],
        [400, { method: 'POST' }],
        [400, { method: 'GET', path: `${UPLOADS}?limit=0` }],
        [401, { method: 'POST', headers: { ...length, authorization: undefined } }],
        [401, { method: 'HEAD', path, headers: { authorization: 'Bearer svc_at_unknown' } }],
        [403, { method: 'DELETE', path: await finished(peer) }],
        [404, { method: 'HEAD', path: `${UPLOADS}/unknown` }],
        [404, { method: 'HEAD', path: `${UPLOADS}/` }],
        [404, { method: 'PATCH', path: `${UPLOADS}/a/b` }],
        [404, { method: 'POST', path: `${UPLOADS}/%41` }],
        [404, { method: 'POST', path: `${UPLOADS}?a=b` }],
        [405, { method: 'PUT' }],
        [404, { method: 'GET', path }],
        [405, { method: 'PUT', path }],
        [409, { method: 'PATCH', path, headers: patch, body: TEN.slice(0, 5) }],
        [412, { method: 'HEAD', path, headers: { 'tus-resumable': '0.2.2' } }],
        [413, { method: 'POST', headers: { 'upload-length': '9'.repeat(13) } }],
        [415, { method: 'PATCH', path, headers: { 'upload-offset': '5' }, body: TEN.slice(0, 5) }],
        [204, { method: 'DELETE', path }],
      ];
      for (const [status, ask] of asked) {
        const told = await peer.ask(ask);
        expect([ask.method, ask.path, told.status, told.headers['tus-resumable']]).toEqual([
          ask.method,
          ask.path,
          status,
          '1.0.0',
        ]);
      }
    },
  ],
  [
    'If the version specified by the Client is not supported by the Server, it MUST respond with the 412 … and MUST include the Tus-Version header … the Server MUST NOT process the request.',
    async (peer) => {
      const path = await peer.create();
      for (const version of ['0.2.2', '1.0.1', '2.0.0', '', 'x', '1.0.0, 1.0.0']) {
        const wrong = { 'tus-resumable': version };
        for (const told of [
          await peer.patch(path, 0, TEN, wrong),
          await peer.head(path, wrong),
          await peer.ask({ method: 'DELETE', path, headers: wrong }),
          await peer.ask({ method: 'POST', headers: { ...wrong, 'upload-length': '1' } }),
          await peer.ask({ method: 'POST', headers: { ...wrong, authorization: undefined } }),
        ]) {
          expect([told.status, told.headers['tus-version']]).toEqual([412, '1.0.0']);
          expect(told.headers['upload-offset'] ?? told.headers.location).toBeUndefined();
        }
      }
      expect(await peer.offset(path)).toBe('0');
    },
  ],
  [
    'The Tus-Extension response header MUST be a comma-separated list of the extensions supported by the Server.',
    async (peer) => {
      expect((await peer.ask({ method: 'OPTIONS' })).headers['tus-extension']).toBe(
        'creation,creation-with-upload,termination,client-upload-id,repr-digest,known-uploads,project-destination,photo-versions,upload-receipts,device-queue,upload-posters,photo-list',
      );
    },
  ],
  [
    'The Tus-Max-Size response header MUST be a non-negative integer …',
    async (peer) => {
      const told = await peer.ask({ method: 'OPTIONS' });
      expect(told.headers['tus-max-size']).toBe(String(5 * 1024 ** 3));
    },
  ],
  [
    'The X-HTTP-Method-Override request header … MUST be interpreted as the request’s method by the Server, if the header is presented. The actual method of the request MUST be ignored.',
    async (peer) => {
      for (const actual of ['POST', 'GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
        const instead = (method: string): Ask['headers'] => ({ 'x-http-method-override': method });
        const tus = { 'tus-resumable': '1.0.0' };
        const path = await peer.create();
        const patched = await peer.ask({
          method: actual,
          path,
          headers: { ...tus, ...BYTES, ...instead('PATCH'), 'upload-offset': '0' },
          body: TEN.slice(0, 4),
        });
        expect([actual, patched.status, patched.headers['upload-offset']]).toEqual([
          actual,
          204,
          '4',
        ]);
        const headers = { ...tus, ...instead('HEAD') };
        const told = await peer.ask({ method: actual, path, headers });
        expect([told.status, told.headers['upload-offset']]).toEqual([200, '4']);
        const gone = { ...tus, ...instead('DELETE') };
        expect((await peer.ask({ method: actual, path, headers: gone })).status).toBe(204);
        expect((await peer.head(path)).status).toBe(404);
      }
    },
  ],
];

const REQUESTS: readonly Kept[] = [
  [
    'The Server MUST always include the Upload-Offset header in the response for a HEAD request, even if the offset is 0, or the upload is already considered completed. … MUST include the Upload-Length header …',
    async (peer) => {
      const path = await peer.create();
      for (const end of [0, 4, 10]) {
        if (end > 0) await peer.patch(path, end === 4 ? 0 : 4, TEN.slice(end === 4 ? 0 : 4, end));
        const { status, headers } = await peer.head(path);
        expect([status, headers['upload-offset'], headers['upload-length']]).toEqual([
          200,
          String(end),
          '10',
        ]);
      }
    },
  ],
  [
    'If the resource is not found, the Server SHOULD return either the 404 … without the Upload-Offset header.',
    async (peer) => {
      const told = await peer.head(`${UPLOADS}/not-there`);
      expect([told.status, told.headers['upload-offset']]).toEqual([404, undefined]);
    },
  ],
  [
    'The Server MUST prevent the client and/or proxies from caching the response by adding the Cache-Control: no-store header …',
    async (peer) => {
      for (const path of [await peer.create(), await finished(peer), `${UPLOADS}/not-there`])
        expect((await peer.head(path)).headers['cache-control']).toBe('no-store');
    },
  ],
  [
    'All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the server SHOULD return a 415 …',
    async (peer) => {
      const path = await peer.create();
      for (const type of [undefined, '', 'application/octet-stream', 'text/plain']) {
        const told = await peer.patch(path, 0, TEN, { 'content-type': type });
        expect(told.status).toBe(415);
      }
      expect(await peer.offset(path)).toBe('0');
    },
  ],
  [
    'If the offsets do not match, the Server MUST respond with the 409 Conflict status without modifying the upload resource.',
    async (peer) => {
      const path = await peer.create();
      await peer.patch(path, 0, TEN.slice(0, 4));
      const digest = { 'repr-digest': `crc32c=:${Buffer.alloc(4).toString('base64')}:` };
      for (const offset of [0, 3, 5, 10, 11])
        expect((await peer.patch(path, offset, TEN.slice(4), digest)).status).toBe(409);
      expect(await peer.offset(path)).toBe('4');
      // Its digest is ignored like its bytes.
      expect((await peer.patch(path, 4, TEN.slice(4))).status).toBe(204);
    },
  ],
  [
    'The Server MUST acknowledge successful PATCH requests with the 204 No Content status. It MUST include the Upload-Offset header … The new offset MUST be the sum …',
    async (peer) => {
      const path = await peer.create();
      for (const [from, to] of [
        [0, 3],
        [3, 3],
        [3, 10],
        [10, 10],
      ] as const) {
        const { status, headers } = await peer.patch(path, from, TEN.slice(from, to));
        expect([status, headers['upload-offset']]).toEqual([204, String(to)]);
      }
    },
  ],
  [
    'If the server receives a PATCH request against a non-existent resource it SHOULD return a 404 Not Found status.',
    async (peer) => {
      expect((await peer.patch(`${UPLOADS}/not-there`, 0, TEN)).status).toBe(404);
    },
  ],
  [
    'OPTIONS … 204 No Content or 200 OK status MUST contain the Tus-Version header. … the Server MUST ignore the [Tus-Resumable] header.',
    async (peer) => {
      const paths = [UPLOADS, await peer.create(), `${UPLOADS}/not-there`];
      for (const path of paths)
        for (const version of [undefined, '1.0.0', '0.2.2', 'x', '']) {
          const headers = { 'tus-resumable': version, authorization: undefined };
          const told = await peer.ask({ method: 'OPTIONS', path, headers });
          expect([told.status, told.headers['tus-version']]).toEqual([204, '1.0.0']);
        }
    },
  ],
];

const CREATION: readonly Kept[] = [
  [
    'Upload-Metadata … MUST consist of one or more comma-separated key-value pairs. The key and value MUST be separated by a space. The key MUST NOT contain spaces and commas and MUST NOT be empty. … the value MUST be Base64 encoded. All keys MUST be unique.',
    async (peer) => {
      const wrong = ['a b c', 'a Y', 'a ***', 'a YQ==,a Yg=='];
      for (const metadata of [...wrong, 'a YQ==,a', 'k\u00fc YQ=='])
        expect([
          metadata,
          (
            await peer.ask({
              method: 'POST',
              headers: { 'upload-length': '1', 'upload-metadata': metadata },
            })
          ).status,
        ]).toEqual([metadata, 400]);
    },
  ],
  [
    'responses to HEAD requests MUST include the Upload-Metadata header and its value as specified by the Client during the creation.',
    async (peer) => {
      for (const metadata of [
        'filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential',
        // Bytes that are no text; empty values with and without the space; keys that look like numbers.
        'filename SU1HLmpwZw==,hash //+A/w==',
        '2 Yg==,1 YQ==,empty ,none',
        'filename w7Y=',
      ]) {
        const path = await peer.create({ 'upload-metadata': metadata });
        expect((await peer.head(path)).headers['upload-metadata']).toBe(metadata);
      }
      // Of a version before, which did not keep it as it came.
      const path = await peer.create({ 'upload-metadata': 'filename SU1HLmpwZw==' });
      await peer.service.database.query('UPDATE uploads SET metadata_header = NULL');
      expect((await peer.head(path)).headers['upload-metadata']).toBe('filename SU1HLmpwZw==');
      // As the header must have a pair, there is none where there is no metadata.
      for (const headers of [{}, { 'upload-metadata': '' }]) {
        const told = await peer.head(await peer.create(headers));
        expect(told.headers['upload-metadata']).toBeUndefined();
      }
    },
  ],
  [
    'The request MUST include one of the following headers: a) Upload-Length b) Upload-Defer-Length: 1. If [it] contains any other value than 1 the server should return a 400 …',
    async (peer) => {
      for (const headers of [
        {},
        { 'upload-defer-length': '1' },
        { 'upload-defer-length': '2', 'upload-length': '10' },
      ])
        expect((await peer.ask({ method: 'POST', headers })).status).toBe(400);
    },
  ],
  [
    'Upload-Length … MAY be set to 0 … Such an upload is immediately complete after its creation …',
    async (peer) => {
      const path = await peer.create({ 'upload-length': '0' });
      const { headers } = await peer.head(path);
      expect([headers['upload-offset'], headers['upload-length']]).toEqual(['0', '0']);
      expect(headers['repr-digest']).toContain('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    },
  ],
  [
    'If the length of the upload exceeds the maximum … the Server MUST respond with the 413 … status.',
    async (peer) => {
      for (const length of [5 * 1024 ** 3 + 1, Number.MAX_SAFE_INTEGER]) {
        const headers = { 'upload-length': String(length) };
        expect((await peer.ask({ method: 'POST', headers })).status).toBe(413);
      }
    },
  ],
  [
    'The Server MUST acknowledge a successful upload creation with the 201 Created status. The Server MUST set the Location header …',
    async (peer) => {
      const told = await peer.ask({ method: 'POST', headers: { 'upload-length': '10' } });
      expect(told.status).toBe(201);
      expect((await peer.head(String(told.headers.location))).status).toBe(200);
    },
  ],
  [
    'Creation With Upload: … MUST include the Upload-Offset header in the response and MUST set its value to the offset of the upload after applying the accepted bytes.',
    async (peer) => {
      for (const end of [0, 4, 10]) {
        const headers = { 'upload-length': '10', ...BYTES };
        const told = await peer.ask({ method: 'POST', headers, body: TEN.slice(0, end) });
        expect([told.status, told.headers['upload-offset']]).toEqual([201, String(end)]);
        expect(await peer.offset(String(told.headers.location))).toBe(String(end));
      }
    },
  ],
  [
    'When receiving a DELETE request for an existing upload the Server SHOULD free associated resources and MUST respond with the 204 … For all future requests to this URL, the Server SHOULD respond with the 404 …',
    async (peer) => {
      const path = await peer.create();
      expect((await peer.ask({ method: 'DELETE', path })).status).toBe(204);
      expect((await peer.ask({ method: 'DELETE', path })).status).toBe(404);
      expect((await peer.head(path)).status).toBe(404);
      expect((await peer.patch(path, 0, TEN)).status).toBe(404);
    },
  ],
  [
    'In addition, the implementation of authentication and authorization is left for the Server to decide. (No app may remove what has arrived.)',
    async (peer) => {
      const path = await finished(peer);
      expect((await peer.ask({ method: 'DELETE', path })).status).toBe(403);
      expect(await peer.offset(path)).toBe('10');
    },
  ],
];

async function finished(peer: Peer): Promise<string> {
  const path = await peer.create();
  expect((await peer.patch(path, 0, TEN)).status).toBe(204);
  return path;
}

/**
 * Sentence by sentence, https://tus.io/protocols/resumable-upload (1.0.0, 2016-03-25): everything that a server must,
 * and what it should where that can be tried. Left out: what clients must, and the sentences of
 * creation-defer-length, expiration, checksum and concatenation, which the service does not name (the last test here).
 */
describe('tus 1.0.0', () => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await Peer.start();
  });
  afterAll(() => peer.service.close());

  it.each([...CORE, ...REQUESTS, ...CREATION])('%s', async (_sentence, holds) => {
    await holds(peer);
  });

  it('lists only extensions whose requirements it meets', async () => {
    const named = String((await peer.ask({ method: 'OPTIONS' })).headers['tus-extension']);
    for (const other of ['creation-defer-length', 'expiration', 'checksum', 'concatenation'])
      expect(named).not.toContain(other);
  });

  it('returns its version also when the body is invalid HTTP', async () => {
    const path = await peer.create();
    const connection = await RawConnection.open(peer.service.baseUrl);
    connection.send(
      [
        `PATCH ${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${peer.token}`,
        'Tus-Resumable: 1.0.0',
        'Upload-Offset: 0',
        'Content-Type: application/offset+octet-stream',
        'Transfer-Encoding: chunked',
        '\r\n3\r\nabc\r\nno chunk\r\n',
      ].join('\r\n'),
    );
    const answer = await connection.answer();
    expect([answer.status, answer.headers['tus-resumable']]).toEqual([400, '1.0.0']);
    // Earlier bytes are kept if their processing had begun.
    expect(['0', '3']).toContain(await peer.offset(path));
  });
});
