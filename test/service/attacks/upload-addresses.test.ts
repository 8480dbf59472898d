import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { addUser, addWorkspace } from '../support/users.js';
import { useService } from '../support/use-service.js';
import { create, locationOf, offsetOf, patch, photo, terminate } from '../support/tus-client.js';
import { connectApp, sendRaw } from './raw.js';
import type { RawAnswer } from './raw.js';

const COLLECTION = '/api/v1/uploads';

/** What may stand behind the attacker's own id, to lead to the victim's. */
const DETOURS: readonly ((victim: string) => string)[] = [
  (victim) => `?/${victim}`,
  (victim) => `?${victim}`,
  (victim) => `?id=/${victim}`,
  (victim) => `?/${victim}/`,
  (victim) => `#/${victim}`,
  (victim) => `/${victim}`,
  (victim) => `//${victim}`,
  (victim) => `/../${victim}`,
  (victim) => `%2F${victim}`,
  (victim) => `%3F/${victim}`,
  (victim) => `;/${victim}`,
  (victim) => `;id=${victim}`,
  (victim) => `\\${victim}`,
  (victim) => `%5C${victim}`,
];

const REMAINDERS = ['/', '?', '#', ';', '%00', '%20', '?x=1', '//', '/.', '/..', '.info'];

describe('the URL of an upload', () => {
  let attacker: string;
  let victim: string;
  let own: string;
  let target: string;
  const bytes = photo(1000, 1);

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    attacker = await connectApp(
      service.baseUrl,
      await addUser(service, { [workspaceId]: 'member' }),
    );
    victim = await connectApp(service.baseUrl, await addUser(service, { [workspaceId]: 'member' }));
  });

  const begin = async (token: string): Promise<string> => {
    const metadata = { filename: 'secret-name.jpg' };
    const created = await create(service.baseUrl, token, { length: bytes.length, metadata });
    const url = locationOf(service.baseUrl, created);
    await patch(url, token, 0, bytes.subarray(0, 400));
    return path.basename(url);
  };
  beforeEach(async () => {
    [own, target] = await Promise.all([begin(attacker), begin(victim)]);
  });

  const send = (method: string, address: string): Promise<RawAnswer> =>
    sendRaw(service.baseUrl, {
      method,
      target: address,
      token: attacker,
      ...(method === 'PATCH' && {
        headers: { 'upload-offset': '400', 'content-type': 'application/offset+octet-stream' },
        body: photo(600, 2),
      }),
    });
  const expectUntouched = async (): Promise<void> => {
    expect(await offsetOf(`${service.baseUrl}${COLLECTION}/${target}`, victim)).toBe(400);
    const stored = await service.stored.read(target);
    expect(stored.equals(bytes.subarray(0, 400))).toBe(true);
  };

  // @threat L8
  it.each(['HEAD', 'PATCH', 'DELETE'])(
    'does not give %s access to another upload by a second id',
    async (method) => {
      for (const detour of DETOURS) {
        const address = `${COLLECTION}/${own}${detour(target)}`;
        const answer = await send(method, address);
        expect({ address, status: answer.status }).toEqual({ address, status: 404 });
        expect(JSON.stringify(answer.headers)).not.toContain('upload-metadata');
      }
      await expectUntouched();
      expect(await offsetOf(`${service.baseUrl}${COLLECTION}/${own}`, attacker)).toBe(400);
    },
  );

  it.each(['HEAD', 'PATCH', 'DELETE'])(
    'returns 404 with or without a token for %s with a suffix after the id',
    async (method) => {
      for (const remainder of REMAINDERS) {
        const address = `${COLLECTION}/${own}${remainder}`;
        expect({ address, status: (await send(method, address)).status }).toEqual({
          address,
          status: 404,
        });
      }
      expect(await offsetOf(`${service.baseUrl}${COLLECTION}/${own}`, attacker)).toBe(400);
    },
  );

  it('of the collection accepts only paging parameters and no slash', async () => {
    const length = { 'upload-length': '5' };
    for (const address of [`${COLLECTION}/`, `${COLLECTION}?x`, `${COLLECTION}?/${target}`]) {
      const answer = await sendRaw(service.baseUrl, {
        method: 'POST',
        target: address,
        token: attacker,
        headers: length,
      });
      expect({ address, status: answer.status }).toEqual({ address, status: 404 });
    }
    expect((await send('GET', `${COLLECTION}/`)).status).toBe(404);
    expect((await send('GET', `${COLLECTION}?x=1`)).status).toBe(400);
    expect((await send('GET', `${COLLECTION}?limit=1`)).status).toBe(200);
  });

  it('gives no access to another user’s upload by X-HTTP-Method-Override', async () => {
    const instead = (method: string, id: string): Promise<RawAnswer> =>
      sendRaw(service.baseUrl, {
        method: 'POST',
        target: `${COLLECTION}/${id}`,
        token: attacker,
        headers: {
          'x-http-method-override': method,
          'upload-offset': '400',
          'content-type': 'application/offset+octet-stream',
        },
        body: photo(600, 2),
      });
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      expect([method, (await instead(method, target)).status]).toEqual([method, 404]);
    }
    await expectUntouched();
    // It does work on one's own.
    expect((await instead('DELETE', own)).status).toBe(204);
  });

  it.each([
    { 'x-method-override': 'DELETE' },
    { 'x-original-url': `${COLLECTION}/other` },
    { 'x-rewrite-url': `${COLLECTION}/other` },
    { 'x-forwarded-proto': 'https,http' },
    { 'x-forwarded-proto': 'gopher', 'x-forwarded-host': 'evil.example' },
    { forwarded: 'host=evil.example;proto=https' },
    { location: `${COLLECTION}/other` },
  ])('does not depend on the headers %j', async (headers) => {
    const created = await sendRaw(service.baseUrl, {
      method: 'POST',
      target: COLLECTION,
      token: attacker,
      headers: { ...headers, 'upload-length': '5' },
    });
    expect(created.status).toBe(201);
    expect(created.headers.location).toMatch(/^\/api\/v1\/uploads\/[0-9a-f-]{36}$/);

    const answer = await sendRaw(service.baseUrl, {
      method: 'HEAD',
      target: `${COLLECTION}/${own}`,
      token: attacker,
      headers,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['upload-offset']).toBe('400');
  });

  it.each([
    [{ 'upload-concat': 'partial', 'upload-length': '5' }, 400],
    [{ 'upload-concat': 'final;/api/v1/uploads/a /api/v1/uploads/b' }, 400],
    [{ 'upload-defer-length': '1' }, 400],
    [{ 'upload-length': '5, 6' }, 400],
    [{ 'upload-length': '1e3' }, 400],
    [{ 'upload-length': '-0' }, 400],
  ])('is not issued for a creation with %j', async (headers, status) => {
    const answer = await sendRaw(service.baseUrl, {
      method: 'POST',
      target: COLLECTION,
      token: attacker,
      headers,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.location).toBeUndefined();
    expect(JSON.parse(answer.text)).toEqual({
      error: expect.any(String),
      error_description: expect.any(String),
    });
  });

  it('lets the owner continue and terminate the upload', async () => {
    const url = `${service.baseUrl}${COLLECTION}/${own}`;
    expect((await patch(url, attacker, 400, bytes.subarray(400, 500))).status).toBe(204);
    expect((await terminate(url, attacker)).status).toBe(204);
  });
});
