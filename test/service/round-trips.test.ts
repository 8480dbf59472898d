import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { listUploads, poll, refresh, revoke, startDevice, tokensOf } from './client.js';
import { countRoundTrips, type CountingDatabase } from './database/counting.js';
import { openReadyDatabase } from './kept-databases.js';
import { startTestService, type TestService } from './running.js';
import { create, head, locationOf, patch, photo } from './tus.js';

// Each round trip is paid for with processor time on both sides of the line, and with its latency. These are limits:
// who needs one more statement for a request has to say so here.
describe.each([
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
    // Notes the use of the token, which happens once a minute.
    await listUploads(service.baseUrl, token);
  });
  afterAll(async () => {
    await service.close();
  });

  const during = async (
    status: number,
    ask: () => Promise<{ status: number }>,
  ): Promise<string[]> => {
    const all = await database.during(async () => {
      expect((await ask()).status).toBe(status);
    });
    // Thumbnails are made in the background, some time after the answer.
    return all.filter((sql) => !/\bthumbnails\b/.test(sql));
  };
  const attempt = (): string => randomBytes(32).toString('base64url');

  it('are two for a refresh, also for one that can be repeated', async () => {
    const first = await service.connect();

    let answer = await refresh(service.baseUrl, first.refreshToken);
    const plain = await during(200, async () => {
      answer = await refresh(service.baseUrl, tokensOf(answer).refreshToken);
      return answer;
    });
    const named = await during(200, () =>
      refresh(service.baseUrl, tokensOf(answer).refreshToken, { refresh_attempt: attempt() }),
    );

    expect([plain, named].map(({ length }) => length)).toEqual([2, 2]);
  });

  it('are one for a refresh with a token that nobody knows', async () => {
    expect(await during(400, () => refresh(service.baseUrl, 'unknown'))).toHaveLength(1);
  });

  it('are one for a poll, and for one that is told to slow down', async () => {
    const { deviceCode } = await startDevice(service.baseUrl);

    expect(await during(400, () => poll(service.baseUrl, deviceCode))).toHaveLength(1);
    expect(await during(400, () => poll(service.baseUrl, deviceCode))).toHaveLength(1);
    expect(await during(400, () => poll(service.baseUrl, 'unknown'))).toHaveLength(1);
  });

  it('are two for a revocation', async () => {
    const { accessToken, refreshToken } = await service.connect();

    expect(await during(200, () => revoke(service.baseUrl, refreshToken))).toHaveLength(2);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(401);
    expect(await during(200, () => revoke(service.baseUrl, refreshToken))).toHaveLength(2);
    expect(await during(200, () => revoke(service.baseUrl, 'unknown'))).toHaveLength(1);
  });

  it('are two for the list, and one more at the first use of a token', async () => {
    expect(await during(200, () => listUploads(service.baseUrl, token))).toHaveLength(2);

    const { refreshToken } = await service.connect();
    const refreshed = tokensOf(
      await refresh(service.baseUrl, refreshToken, { refresh_attempt: attempt() }),
    );
    const first = await during(200, () => listUploads(service.baseUrl, refreshed.accessToken));
    expect(first).toHaveLength(3);
  });

  it('are three and the lock for a photo in one request, and for a repeated one', async () => {
    const metadata = {
      filename: 'one.jpg',
      client_upload_id: `the-same-photo-${String(isShared)}`,
    };
    const send = () => create(service.baseUrl, token, { length: 100, metadata, body: photo(100) });

    expect(await during(201, send)).toHaveLength(3 + lock);
    // Found instead of added, and its file is asked for how much it has.
    expect((await during(201, send)).length).toBeLessThanOrEqual(5);
  });

  it('are three and the lock for HEAD and for a part, and one more for the last part', async () => {
    const { baseUrl } = service;
    const created = await create(baseUrl, token, { length: 20 });
    const url = locationOf(baseUrl, created);

    expect(await during(200, () => head(url, token))).toHaveLength(3 + lock);
    expect(await during(204, () => patch(url, token, 0, photo(10)))).toHaveLength(3 + lock);
    expect(await during(204, () => patch(url, token, 10, photo(10)))).toHaveLength(4 + lock);
    expect(await during(200, () => head(url, token))).toHaveLength(3 + lock);
  });
});
