import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { authorizePath, makePkce } from '../../support/code-flow.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  createToken,
  openSettings,
  send,
} from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import {
  authorization,
  create,
  head,
  locationOf,
  patch,
  photo,
  sha256,
  terminate,
} from '../../support/tus-client.js';

const BYTES = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, ...photo(5000)]);

interface Described {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown> }>>;
}

describe('the data API for finished uploads', () => {
  let workspaceId: string;
  let user: TestUser;
  let token: string;
  let id: string;
  let description: Described;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, user);
    id = await send(service, token, 'Harbour.jpg', BYTES);
    description = (await (await get('/api/v1/openapi.json')).json()) as Described;
  });

  const get = (
    address: string,
    accessToken?: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Response> =>
    fetch(service.baseUrl + address, {
      ...init,
      headers: { ...init.headers, ...(accessToken !== undefined && authorization(accessToken)) },
    });
  const makeToken = (scope: string, of = user): Promise<string> => createToken(service, of, scope);

  describe('one upload', () => {
    it('returns one upload as the list shows it', async () => {
      const list = (await (await get('/api/v1/uploads', token)).json()) as { uploads: unknown[] };
      const answer = await get(`/api/v1/uploads/${id}`, token);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const { versions, feedback, ...upload } = (await answer.json()) as Record<string, unknown>;
      expect(list.uploads).toContainEqual(upload);
      expect([versions, feedback]).toEqual([[], []]);
    });

    it('returns an upload to its own app, and with uploads:read to any app of the user', async () => {
      const statusOf = async (accessToken?: string): Promise<number> =>
        (await get(`/api/v1/uploads/${id}`, accessToken)).status;
      expect(await statusOf(await makeToken('uploads:write'))).toBe(404);
      expect(await statusOf(await makeToken('uploads:read'))).toBe(200);
      expect(await statusOf(await makeToken('uploads:content'))).toBe(403);
      expect(await statusOf('svc_at_unknown')).toBe(401);
      expect(await statusOf()).toBe(401);
      const colleague = await addUser(service, { [workspaceId]: 'owner' });
      expect(await statusOf(await makeToken('uploads:read', colleague))).toBe(404);
      expect((await get('/api/v1/uploads/nothing', token)).status).toBe(404);
    });

    it('answers HEAD as tus requires, at the same address', async () => {
      const answer = await head(`${service.baseUrl}/api/v1/uploads/${id}`, token);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('upload-offset')).toBe('5004');
    });

    it('returns 404 for an unfinished or deleted upload, and refuses its termination', async () => {
      const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 10 }));
      const { pathname } = new URL(url);
      expect((await get(pathname, token)).status).toBe(404);
      await patch(url, token, 0, photo(10));
      expect((await get(pathname, token)).status).toBe(200);
      expect((await terminate(url, token)).status).toBe(403);
      const browser = await openSettings(
        service,
        user,
        `/photos/${pathname.split('/').at(-1) ?? ''}`,
      );
      await browser.submit('Move to trash');
      expect((await get(pathname, token)).status).toBe(404);
      expect((await get(`${pathname}/content`, await makeToken('uploads:content'))).status).toBe(
        404,
      );
    });
  });

  describe('its bytes', () => {
    it('require a separate permission for the bytes of an upload', async () => {
      for (const [scope, status] of [
        ['uploads:write', 403],
        ['uploads:read', 403],
        ['uploads:content', 200],
      ] as const) {
        const answer = await get(`/api/v1/uploads/${id}/content`, await makeToken(scope));
        expect([scope, answer.status]).toEqual([scope, status]);
        if (status === 403)
          expect(answer.headers.get('www-authenticate')).toContain('scope="uploads:content"');
        await answer.arrayBuffer();
      }
      expect((await get(`/api/v1/uploads/${id}/content`, token)).status).toBe(403);
      expect((await get(`/api/v1/uploads/${id}/content`)).status).toBe(401);
    });

    it('are served whole or in part as an attachment, and not to a colleague', async () => {
      const reader = await makeToken('uploads:content');
      const address = `/api/v1/uploads/${id}/content`;
      const whole = await get(address, reader);
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        etag: `"${sha256(BYTES)}"`,
        'content-type': 'image/jpeg',
        'content-disposition': 'attachment; filename="Harbour.jpg"',
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      });
      expect(Buffer.from(await whole.arrayBuffer()).equals(BYTES)).toBe(true);
      const part = await get(address, reader, { headers: { range: 'bytes=10-19' } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true);
      const told = await get(address, reader, { method: 'HEAD' });
      expect([told.status, told.headers.get('content-length')]).toEqual([200, '5004']);
      const colleague = await addUser(service, { [workspaceId]: 'owner' });
      const theirs = await makeToken('uploads:content', colleague);
      expect((await get(address, theirs)).status).toBe(404);
    });

    it('are resumed while they are the same, with the digest of the whole in each part', async () => {
      const reader = await makeToken('uploads:content');
      const address = `/api/v1/uploads/${id}/content`;
      const digest = `sha-256=:${Buffer.from(sha256(BYTES), 'hex').toString('base64')}:`;
      const got: Buffer[] = [];
      let tag: string | undefined;
      for (const start of [0, 1000, 3000, 5003]) {
        const end = { 0: 999, 1000: 2999, 3000: 5002, 5003: '' }[start];
        const part = await get(address, reader, {
          headers: {
            range: `bytes=${start}-${end}`,
            ...(tag !== undefined && { 'if-range': tag }),
          },
        });
        expect([part.status, part.headers.get('repr-digest')]).toEqual([206, digest]);
        tag = part.headers.get('etag') ?? undefined;
        got.push(Buffer.from(await part.arrayBuffer()));
      }
      expect(Buffer.concat(got).equals(BYTES)).toBe(true);
      // Other bytes, a weak tag and a date: all of the file.
      for (const other of [`"${'0'.repeat(64)}"`, `W/${tag}`, new Date().toUTCString()]) {
        const whole = await get(address, reader, {
          headers: { range: 'bytes=1000-', 'if-range': other },
        });
        expect([whole.status, whole.headers.get('repr-digest')]).toEqual([200, digest]);
        expect((await whole.arrayBuffer()).byteLength).toBe(BYTES.length);
      }
      const known = await get(address, reader, { headers: { 'if-none-match': tag ?? '' } });
      expect(known.status).toBe(304);
      const after = await get(address, reader, { headers: { range: 'bytes=5004-' } });
      expect([after.status, after.headers.get('content-range')]).toEqual([416, 'bytes */5004']);
    });

    it('appear on the consent page of an app that requests them, not on the plugin’s', async () => {
      const browser = await openSettings(service, user);
      const plain = await browser.open(authorizePath(makePkce()));
      expect(plain.text).not.toContain('Download the originals');
      const form = await browser.open(
        `/settings/developer/applications/new?workspace=${workspaceId}`,
      );
      expect(form.text).toContain(
        'Download the originals of files you uploaded to the workspace with any app (uploads:content)',
      );
    });
  });

  describe('the answers that complete an upload', () => {
    const link = (of: string): string =>
      `<${service.baseUrl}/photos/${of}>; rel="alternate"; type="text/html"`;

    it('link to the photo’s page: the last PATCH, HEAD, and each kind of creation', async () => {
      const creation = {
        length: 20,
        metadata: { filename: 'Linked.jpg', client_upload_id: 'an-id-for-the-link' },
      };
      const created = await create(service.baseUrl, token, creation);
      const url = locationOf(service.baseUrl, created);
      const own = url.split('/').at(-1) ?? '';
      const first = await patch(url, token, 0, photo(10));
      const before = [created, first, await head(url, token)];
      expect(before.map(({ headers }) => headers.get('link'))).toEqual([null, null, null]);

      const last = await patch(url, token, 10, photo(10));
      const again = await create(service.baseUrl, token, creation);
      const after = [last, again, await head(url, token)];
      expect(after.map(({ headers }) => headers.get('link'))).toEqual(Array(3).fill(link(own)));
      const whole = await create(service.baseUrl, token, { length: 5, body: photo(5) });
      const other = locationOf(service.baseUrl, whole).split('/').at(-1) ?? '';
      expect(whole.headers.get('link')).toBe(link(other));

      const browser = await openSettings(service, user, '/photos');
      const { text } = await browser.open(/<([^>]+)>/.exec(link(own))?.[1] ?? '');
      expect(text).toContain('Linked.jpg');
    });
  });

  describe('its description in OpenAPI', () => {
    it('matches the answers of the service', async () => {
      const reader = await makeToken('uploads:content');
      const mine = await makeToken('uploads:read');
      const maker = await makeToken('projects:write');
      const sharer = await makeToken('shares:write');
      const question = { files: [{ name: 'Harbour.jpg', size: BYTES.length }] };
      const asked: readonly [path: string, address: string, token?: string, body?: object][] = [
        ['/api/v1/me', '/api/v1/me', token],
        ['/api/v1/me', '/api/v1/me', mine],
        ['/api/v1/me', '/api/v1/me'],
        ['/api/v1/openapi.json', '/api/v1/openapi.json'],
        ['/api/v1/uploads', '/api/v1/uploads', token],
        ['/api/v1/uploads', '/api/v1/uploads?limit=1', mine],
        ['/api/v1/uploads', '/api/v1/uploads?limit=x', mine],
        ['/api/v1/uploads', '/api/v1/uploads', reader],
        ['/api/v1/uploads', `/api/v1/uploads?sha256=${sha256(BYTES)}`, mine],
        ['/api/v1/uploads/known', '/api/v1/uploads/known', token, question],
        ['/api/v1/uploads/known', '/api/v1/uploads/known', token, {}],
        ['/api/v1/uploads/known', '/api/v1/uploads/known', reader, question],
        ['/api/v1/uploads/{id}', `/api/v1/uploads/${id}`, token],
        ['/api/v1/uploads/{id}', '/api/v1/uploads/nothing', token],
        ['/api/v1/uploads/{id}', `/api/v1/uploads/${id}`, reader],
        ['/api/v1/uploads/{id}/content', `/api/v1/uploads/${id}/content`, mine],
        ['/api/v1/uploads/{id}/content', '/api/v1/uploads/nothing/content', reader],
        ['/api/v1/projects', '/api/v1/projects', maker, { name: 'Described' }],
        ['/api/v1/projects', '/api/v1/projects', maker, { name: 'described' }],
        ['/api/v1/projects', '/api/v1/projects', maker, { name: ' ' }],
        ['/api/v1/projects', '/api/v1/projects', mine, { name: 'Other' }],
        ['/api/v1/projects', '/api/v1/projects', maker],
        ['/api/v1/projects', '/api/v1/projects', mine],
        ['/api/v1/shares', '/api/v1/shares', sharer, { uploads: [id] }],
        ['/api/v1/shares', '/api/v1/shares', sharer, { uploads: ['nothing'] }],
        ['/api/v1/shares', '/api/v1/shares', sharer, { uploads: [] }],
        ['/api/v1/shares', '/api/v1/shares', maker, { uploads: [id] }],
        ['/api/v1/shares', '/api/v1/shares', sharer],
        ['/api/v1/shares', '/api/v1/shares?project=a&upload=b', sharer],
        ['/api/v1/uploads/{id}/project', `/api/v1/uploads/${id}/project`, maker, { project: null }],
        ['/api/v1/uploads/{id}/project', `/api/v1/uploads/${id}/project`, maker, { project: 'x' }],
        ['/api/v1/uploads/{id}/project', '/api/v1/uploads/x/project', maker, { project: null }],
        ['/api/v1/uploads/{id}/trash', '/api/v1/uploads/nothing/trash', mine, {}],
      ];
      const ajv = new Ajv2020({
        strict: false,
        formats: { uri: true, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
      });
      ajv.addSchema(closed(description), 'api');
      const seen = new Set<string>();
      for (const [path, address, accessToken, body] of asked) {
        const method = body === undefined ? 'get' : 'post';
        const answer = await get(address, accessToken, {
          method: method.toUpperCase(),
          ...(body !== undefined && {
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          }),
        });
        const { responses } = description.paths[path]?.[method] ?? { responses: {} };
        expect([address, answer.status, String(answer.status) in responses]).toEqual([
          address,
          answer.status,
          true,
        ]);
        seen.add(`${path} ${answer.status}`);
        const place = ['paths', path, method, 'responses', String(answer.status)];
        const validate = ajv.getSchema(schemaAt(description, place));
        expect([address, validate === undefined]).toEqual([address, false]);
        const told = (await answer.json()) as object;
        expect([address, validate?.(told), validate?.errors]).toEqual([address, true, null]);
        // The description itself has no described members.
        const more = { ...told, undescribed: 1 };
        expect([address, validate?.(more)]).toEqual([address, path === '/api/v1/openapi.json']);
      }
      expect([...seen].filter((one) => one.endsWith(' 200'))).toHaveLength(8);
    });
  });
});

/** The description, with schemas that refuse members without a description. */
function closed(description: Described): object {
  const parts = new Set<unknown>();
  const collect = (node: unknown, isPart = false): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isPart && '$ref' in node) parts.add(String(node.$ref).split('/').at(-1));
    for (const [key, child] of Object.entries(node))
      collect(child, key === 'allOf' || (isPart && Array.isArray(node)));
  };
  collect(description);
  const close = (node: unknown, isPart = false): unknown => {
    if (Array.isArray(node)) return node.map((child) => close(child, isPart));
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(
      Object.entries(node).map(([key, child]) => [
        key,
        close(child, key === 'allOf' || (isPartName(key) && isSchema(child))),
      ]),
    );
    const isObject = ['$ref', 'allOf', 'properties'].some((key) => key in node);
    return isObject && !isPart && !('additionalProperties' in node)
      ? { ...copy, unevaluatedProperties: false }
      : copy;
  };
  const isPartName = (key: string): boolean => parts.has(key);
  const isSchema = (node: unknown): boolean =>
    typeof node === 'object' && node !== null && 'properties' in node;
  return close(description) as object;
}

/** The schema of a JSON response, with references resolved. */
function schemaAt(description: Described, place: readonly string[]): string {
  const response = place.reduce<unknown>(
    (at, name) => (at as Record<string, unknown>)[name],
    description,
  ) as { $ref?: string };
  const at = response.$ref ?? `#/${place.map((name) => name.replaceAll('/', '~1')).join('/')}`;
  return `api${at}/content/application~1json/schema`;
}
