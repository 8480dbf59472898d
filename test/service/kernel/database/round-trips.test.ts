import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  listUploads,
  poll,
  refresh,
  revoke,
  startDevice,
  tokensOf,
} from '../../support/oauth-client.js';
import { countRoundTrips, type CountingDatabase } from './counting.js';
import { TestBrowser } from '../../support/browser-client.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  elementText,
  openSettings,
  send,
} from '../../support/users.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { authorization, create, head, locationOf, patch, photo } from '../../support/tus-client.js';

// Each round trip is paid for with processor time on both sides of the line, and with its latency. These are limits:
// who needs one more statement for a request has to say so here.
describe.each([
  // With several processes, the lock of an upload is acquired and released.
  ['alone', false, 0],
  ['beside others', true, 2],
] as const)('the round trips to the database of a service %s', (_name, isShared, lock) => {
  let service: TestService;
  let database: CountingDatabase;
  let token: string;

  beforeAll(async () => {
    database = countRoundTrips(await openReadyDatabase(), isShared);
    service = await startTestService({ database });
    token = (await service.connect('uploads:write')).accessToken;
  });
  // Notes the use of the token, which happens once a minute.
  beforeEach(() => listUploads(service.baseUrl, token));
  afterAll(async () => {
    await service.close();
  });

  const during = (status: number, ask: () => Promise<{ status: number }>): Promise<string[]> =>
    database.during(async () => {
      expect((await ask()).status).toBe(status);
    });
  const attempt = (): string => randomBytes(32).toString('base64url');

  it('are two for a first refresh, then one if no other process can change the token', async () => {
    let tokens = await service.connect();
    const again = (fields?: { refresh_attempt: string }) =>
      during(200, async () => {
        const answer = await refresh(service.baseUrl, tokens.refreshToken, fields);
        tokens = tokensOf(answer);
        return answer;
      });

    const first = await again();
    const plain = await again();
    const named = await again({ refresh_attempt: attempt() });

    const later = isShared ? 2 : 1;
    expect([first, plain, named].map(({ length }) => length)).toEqual([2, later, later]);
  });

  it('are none for a refresh with a foreign token', async () => {
    expect(await during(400, () => refresh(service.baseUrl, 'unknown'))).toHaveLength(0);
  });

  it('are one for a poll, also with slow_down', async () => {
    const { deviceCode } = await startDevice(service.baseUrl);

    expect(await during(400, () => poll(service.baseUrl, deviceCode))).toHaveLength(1);
    expect(await during(400, () => poll(service.baseUrl, deviceCode))).toHaveLength(1);
    expect(await during(400, () => poll(service.baseUrl, 'unknown'))).toHaveLength(1);
  });

  it('are seven for a revocation with its event', async () => {
    const { accessToken, refreshToken } = await service.connect();

    expect(await during(200, () => revoke(service.baseUrl, refreshToken))).toHaveLength(7);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(401);
    expect(await during(200, () => revoke(service.baseUrl, refreshToken))).toHaveLength(2);
    expect(await during(200, () => revoke(service.baseUrl, 'unknown'))).toHaveLength(0);
  });

  it('are two for an empty list, three for others, and one more at the first use of a token', async () => {
    const { baseUrl } = service;
    const none = () =>
      fetch(`${baseUrl}/api/v1/uploads?name=nothing`, { headers: authorization(token) });
    expect(await during(200, none)).toHaveLength(2);
    await create(baseUrl, token, { length: 100, body: photo(100) });
    // With what guests of links said.
    expect(await during(200, () => listUploads(baseUrl, token))).toHaveLength(3);

    const { refreshToken } = await service.connect();
    const refreshed = tokensOf(
      await refresh(service.baseUrl, refreshToken, { refresh_attempt: attempt() }),
    );
    const first = await during(200, () => listUploads(service.baseUrl, refreshed.accessToken));
    expect(first).toHaveLength(4);
  });

  it('are three and the lock for a photo in one request, and five at most for a repeated one', async () => {
    const metadata = {
      filename: 'one.jpg',
      client_upload_id: `the-same-photo-${String(isShared)}`,
    };
    const send = () => create(service.baseUrl, token, { length: 100, metadata, body: photo(100) });

    expect(await during(201, send)).toHaveLength(3 + lock);
    // Found instead of inserted, and the size of its file is read.
    expect((await during(201, send)).length).toBeLessThanOrEqual(5);
  });

  it.each([
    ['waits for the disk without bytes', undefined, false],
    ['waits for the disk with some of the bytes', photo(5), false],
    ['leaves the disk to the end with all bytes', photo(100), true],
  ])('begin with one to create a photo, which %s', async (_title, body, isSoon) => {
    const { baseUrl } = service;
    const statements = await during(201, () =>
      create(baseUrl, token, { length: 100, ...(body && { body }) }),
    );

    const insertions = statements.filter((sql) => /INSERT INTO uploads\b/.test(sql));
    expect(insertions.map((sql) => sql.includes('synchronous_commit'))).toEqual([isSoon]);
  });

  it('are three and the lock for HEAD and for a part, and four and the lock for the last part', async () => {
    const { baseUrl } = service;
    const created = await create(baseUrl, token, { length: 20 });
    const url = locationOf(baseUrl, created);

    expect(await during(200, () => head(url, token))).toHaveLength(3 + lock);
    expect(await during(204, () => patch(url, token, 0, photo(10)))).toHaveLength(3 + lock);
    expect(await during(204, () => patch(url, token, 10, photo(10)))).toHaveLength(4 + lock);
    // Reads the digests.
    expect(await during(200, () => head(url, token))).toHaveLength(5 + lock);
  });

  it('release every lock', async () => {
    const { baseUrl } = service;
    await create(baseUrl, token, { length: 100, body: photo(100) });
    const url = locationOf(baseUrl, await create(baseUrl, token, { length: 20, body: photo(5) }));
    await head(url, token);
    await patch(url, token, 5, photo(5));
    // At the wrong place.
    await patch(url, token, 5, photo(5));
    await patch(url, token, 10, photo(10));
    const other = await create(baseUrl, token, { length: 20 });
    const headers = { ...authorization(token), 'tus-resumable': '1.0.0' };
    const removed = await fetch(locationOf(baseUrl, other), { method: 'DELETE', headers });
    expect(removed.status).toBe(204);
    expect(await database.query('SELECT * FROM upload_locks')).toEqual([]);
  });

  it('are two for /api/v1/me', async () => {
    const me = () => fetch(`${service.baseUrl}/api/v1/me`, { headers: authorization(token) });
    expect(await during(200, me)).toHaveLength(2);
  });

  it('are two for the status of 500 placed files, and seven to replace placements', async () => {
    const { baseUrl } = service;
    const headers = { ...authorization(token), 'Content-Type': 'application/json' };
    const created = await create(baseUrl, token, { length: 100, body: photo(100) });
    const url = locationOf(baseUrl, created);
    const links = Array.from({ length: 500 }, (_, n) => ({
      id: n === 0 ? url.split('/').at(-1) : `no-${n}`,
    }));
    const body = JSON.stringify({ links });
    const ask = () => fetch(`${baseUrl}/api/v1/photos/status`, { method: 'POST', headers, body });
    expect(await during(200, ask)).toHaveLength(2);
    const placed = JSON.stringify({ placements: links });
    const put = () => fetch(`${url}/placements`, { method: 'PUT', headers, body: placed });
    // The token, the workspaces, and a transaction of three statements.
    expect(await during(204, put)).toHaveLength(7);
  });

  describe('round trips of pages', () => {
    let owner: TestBrowser;
    let workspaceId: string;
    let id: string;

    beforeAll(async () => {
      workspaceId = await addWorkspace(service, 'Studio');
      const user = await addUser(service, { [workspaceId]: 'owner' });
      id = await send(service, await connectAs(service, user), 'one.jpg', photo(10));
      owner = await openSettings(service, user, '/photos');
    });

    // One of each reads the signed-in user and the workspaces.
    it('are eight for the list of photos, also for an unknown name, one more for a message', async () => {
      // Photos, versions, answers, senders, projects, the used space and what has not arrived.
      expect(await during(200, () => owner.open('/photos'))).toHaveLength(8);
      expect(await during(200, () => owner.open('/photos?name=x'))).toHaveLength(8);
      expect(await during(200, () => owner.open('/photos?change=x'))).toHaveLength(9);
      expect(await during(200, () => owner.open('/photos/trash'))).toHaveLength(2);
    });

    it('are seven for a photo, two for its thumbnail and for the original', async () => {
      // The photo, its versions, the photos before and after it, the projects, the answers and the placements.
      expect(await during(200, () => owner.open(`/photos/${id}`))).toHaveLength(7);
      expect(await during(200, () => owner.open(`/photos/${id}/thumbnail`))).toHaveLength(2);
      expect(await during(200, () => owner.open(`/photos/${id}/file`))).toHaveLength(2);
    });

    it('are two for the projects, three for the links and for the account', async () => {
      expect(await during(200, () => owner.open('/projects'))).toHaveLength(2);
      // Those that work, and those that have ended.
      expect(await during(200, () => owner.open('/shares'))).toHaveLength(3);
      // Whether there is a password, and the company accounts.
      expect(await during(200, () => owner.open('/settings/account'))).toHaveLength(3);
    });

    it('are three for a link, five more at its first opening, two for a thumbnail', async () => {
      await owner.open(`/shares/new?photo=${id}`);
      const made = await owner.submit('Create link', {});
      const { pathname } = new URL(elementText(made, 'secret'));
      const get = (path: string) => fetch(service.baseUrl + path);

      // The link, its photos and their answers.
      expect(await during(200, () => get(pathname))).toHaveLength(8);
      expect(await during(200, () => get(pathname))).toHaveLength(3);
      expect(await during(200, () => get(`${pathname}/thumbnail?photo=${id}`))).toHaveLength(2);
      // Also looked for among the links that have ended.
      expect(await during(404, () => get('/s/nothing'))).toHaveLength(2);
    });

    it('are none for an anonymous client', async () => {
      expect(await during(200, () => new TestBrowser(service.baseUrl).open('/'))).toHaveLength(0);
    });
  });
});
