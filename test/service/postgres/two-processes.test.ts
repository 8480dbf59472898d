import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request as httpRequest } from 'node:http';
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { listUploads, poll, refresh, startDevice, tokensOf } from '../support/oauth-client.js';
import type { Answer, Tokens } from '../support/oauth-client.js';
import { create, locationOf, offsetOf, patch, photo, sha256 } from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { startProxy } from './proxy.js';
import type { RoundRobinProxy } from './proxy.js';
import { startServiceProcess } from '../support/service-process.js';
import type { ServiceProcess } from '../support/service-process.js';

const SERVER = process.env['TEST_DATABASE_URL'];
const DEVICES = Number(process.env['TEST_DEVICES'] ?? 60);
/** How long the devices refresh. `npm run test:all -- two-processes` makes it a minute. */
const SECONDS = Number(process.env['TEST_SECONDS'] ?? 4);
/** Browsers that approve the devices; each signs in once. */
const BROWSERS = 8;

// Far more than a busy machine takes.
jest.setTimeout((SECONDS + 600) * 1000);

describe('two processes on one PostgreSQL (npm run test:all -- postgres)', () => {
  let databaseUrl: string;
  let folder: string;
  let proxy: RoundRobinProxy;
  let processes: ServiceProcess[] = [];
  let baseUrl: string;

  const startProcess = (): Promise<ServiceProcess> =>
    startServiceProcess({
      databaseUrl,
      dataDir: folder,
      baseUrl,
      args: ['--poll-interval-seconds', '1'],
    });

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER ?? '');
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-two-'));
    proxy = await startProxy();
    ({ baseUrl } = proxy);
    // Both at once: one of them migrates.
    processes = await Promise.all([startProcess(), startProcess()]);
    proxy.use(processes.map(({ port }) => port));
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all(processes.map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
    await dropDatabase(SERVER ?? '', databaseUrl);
  });

  /** Connects devices by a few browsers, each device's requests landing where they may. */
  const connectAll = async (count: number): Promise<Tokens[]> => {
    const connected: Tokens[] = [];
    let left = count;
    await Promise.all(
      Array.from({ length: BROWSERS }, async () => {
        const browser = new TestBrowser(baseUrl);
        while (left > 0) {
          left -= 1;
          const { deviceCode, userCode } = await startDevice(baseUrl);
          await approveDevice(baseUrl, userCode, DEMO_ACCOUNT, browser);
          connected.push(tokensOf(await poll(baseUrl, deviceCode)));
        }
      }),
    );
    return connected;
  };

  /** Waits until so many bytes of an upload are in its file. A HEAD request would end the PATCH. */
  const bytesOnDisk = async (pathname: string, bytes: number): Promise<void> => {
    const file = path.join(folder, 'uploads', path.basename(pathname));
    while (((await stat(file).catch(() => undefined))?.size ?? 0) < bytes)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('accept one device code, one refresh and one client_upload_id once', async () => {
    const { deviceCode, userCode } = await startDevice(baseUrl);
    await approveDevice(baseUrl, userCode, DEMO_ACCOUNT);
    const polls = await Promise.all(Array.from({ length: 6 }, () => poll(baseUrl, deviceCode)));
    expect(polls.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);

    const [raced, retried, uploader] = await connectAll(3);
    if (raced === undefined || retried === undefined || uploader === undefined)
      throw new Error('no device connected');
    const uses = await Promise.all(
      Array.from({ length: 6 }, () => refresh(baseUrl, raced.refreshToken)),
    );
    expect(uses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const use of uses.filter(({ status }) => status !== 200)) {
      expect(use.body['error']).toBe('invalid_grant');
    }
    expect((await listUploads(baseUrl, raced.accessToken)).status).toBe(401);

    // The same refresh repeated at both: each response ends the previous access token.
    const value = { refresh_attempt: randomBytes(32).toString('base64url') };
    const repeats = await Promise.all(
      Array.from({ length: 6 }, () => refresh(baseUrl, retried.refreshToken, value)),
    );
    expect(repeats.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const given = repeats.map(tokensOf);
    expect(new Set(given.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    const lists = await Promise.all(
      given.map(({ accessToken }) => listUploads(baseUrl, accessToken)),
    );
    expect(lists.filter(({ status }) => status === 200)).toHaveLength(1);

    const bytes = photo(60_000, 5);
    const creations = await Promise.all(
      Array.from({ length: 8 }, () =>
        create(baseUrl, uploader.accessToken, {
          length: bytes.length,
          metadata: { client_upload_id: 'the-same-in-both-processes' },
          body: bytes,
        }),
      ),
    );
    expect(creations.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(creations.map((one) => locationOf(baseUrl, one))).size).toBe(1);
    const { body } = await listUploads(baseUrl, uploader.accessToken);
    const uploads = body['uploads'] as { client_upload_id: string | null; sha256: string }[];
    expect(
      uploads.filter(({ client_upload_id: id }) => id === 'the-same-in-both-processes'),
    ).toEqual([expect.objectContaining({ sha256: sha256(bytes) })]);
  });

  it('continue an upload in the other process while the first waits for its client', async () => {
    const [device] = await connectAll(1);
    if (device === undefined) throw new Error('no device connected');
    const bytes = photo(300_000, 6);
    const [first, second] = processes.map((one) => one.ownUrl);
    if (first === undefined || second === undefined) throw new Error('two processes are needed');
    const created = await create(baseUrl, device.accessToken, { length: bytes.length });
    const { pathname } = new URL(locationOf(baseUrl, created));
    const stalled = stall(`${first}${pathname}`, device.accessToken, bytes);
    await bytesOnDisk(pathname, 100_000);

    const answer = await patch(
      second + pathname,
      device.accessToken,
      100_000,
      bytes.subarray(100_000),
    );

    expect(answer.status).toBe(204);
    stalled.destroy();
    const { body } = await listUploads(baseUrl, device.accessToken);
    expect(body['uploads']).toContainEqual(expect.objectContaining({ sha256: sha256(bytes) }));
  });

  it(`keep ${DEVICES} concurrently refreshing devices connected and accept no token twice`, async () => {
    const devices = await connectAll(DEVICES);
    expect(devices).toHaveLength(DEVICES);
    const deadline = performance.now() + SECONDS * 1000;
    const failures: Answer[] = [];
    let refreshes = 0;

    const alive = await Promise.all(
      devices.map(async (tokens) => {
        let current = tokens;
        let isRefreshed = false;
        while (!isRefreshed || performance.now() < deadline) {
          const answer = await refresh(baseUrl, current.refreshToken);
          // A busy process may return 503; then nothing has happened, and the token is still valid.
          if (answer.status === 503) continue;
          if (answer.status !== 200) {
            failures.push(answer);
            return current;
          }
          refreshes += 1;
          isRefreshed = true;
          current = tokensOf(answer);
        }
        return current;
      }),
    );

    expect(failures.map(({ status, body }) => ({ status, body }))).toEqual([]);
    expect(refreshes).toBeGreaterThanOrEqual(DEVICES);
    // Every tenth uses its first token again, in both processes at the same time.
    const reused = devices.filter((_, index) => index % 10 === 0);
    const uses = await Promise.all(
      reused.flatMap(({ refreshToken }) => [
        refresh(baseUrl, refreshToken),
        refresh(baseUrl, refreshToken),
      ]),
    );
    expect(new Set(uses.map(({ body }) => body['error']))).toEqual(new Set(['invalid_grant']));
    const statuses = await Promise.all(
      alive.map(async ({ accessToken }) => (await listUploads(baseUrl, accessToken)).status),
    );
    expect(statuses).toEqual(devices.map((_, index) => (index % 10 === 0 ? 401 : 200)));
  });

  it('lose no token and no completed upload when one of them is killed', async () => {
    const devices = await connectAll(20);
    const uploaded = await Promise.all(
      devices.slice(0, 5).map(async ({ accessToken }, index) => {
        const bytes = photo(100_000, 100 + index);
        await create(baseUrl, accessToken, { length: bytes.length, body: bytes });
        return sha256(bytes);
      }),
    );
    const unfinished = photo(200_000, 200);
    const owner = devices[0]?.accessToken ?? '';
    const [victim] = processes;
    if (victim === undefined) throw new Error('no process');
    const created = await create(baseUrl, owner, { length: unfinished.length });
    const { pathname } = new URL(locationOf(baseUrl, created));
    const stalled = stall(victim.ownUrl + pathname, owner, unfinished);
    await bytesOnDisk(pathname, 100_000);

    // The devices refresh without a pause; the process dies in the middle.
    let killed = false;
    let interrupted = 0;
    const results = devices.map(async (tokens) => {
      let current = tokens;
      for (let rounds = 0; rounds < 3;) {
        // Connections die with the process, others that were kept open for later among them. What it has stored and
        // not yet answered is answered when the same refresh is asked for again.
        const value = { refresh_attempt: randomBytes(32).toString('base64url') };
        let answer: Answer | undefined;
        while (answer === undefined || answer.status === 503) {
          answer = await refresh(baseUrl, current.refreshToken, value).catch(async () => {
            interrupted += 1;
            await new Promise((resolve) => setTimeout(resolve, 10));
            return undefined;
          });
        }
        if (answer.status !== 200) return { status: answer.status, current };
        current = tokensOf(answer);
        if (killed) rounds += 1;
      }
      return { status: 200, current };
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await victim.kill();
    proxy.use(processes.slice(1).map(({ port }) => port));
    killed = true;
    const ended = await Promise.all(results);
    stalled.destroy();

    expect(interrupted).toBeGreaterThan(0);
    expect(ended.map(({ status }) => status)).toEqual(devices.map(() => 200));
    for (const { current } of ended) {
      expect((await listUploads(baseUrl, current.accessToken)).status).toBe(200);
      expect((await refresh(baseUrl, current.refreshToken)).status).toBe(200);
    }

    processes[0] = await startProcess();
    proxy.use(processes.map(({ port }) => port));
    const [fresh] = await connectAll(1);
    const { body } = await listUploads(baseUrl, fresh?.accessToken ?? '');
    const hashes = (body['uploads'] as { sha256: string }[]).map((upload) => upload.sha256);
    expect(hashes).toEqual(expect.arrayContaining(uploaded));
    // The unfinished upload continues, although its lock died with the process.
    const token = fresh?.accessToken ?? '';
    const offset = await offsetOf(baseUrl + pathname, token);
    expect(offset).toBeGreaterThanOrEqual(100_000);
    const rest = await patch(baseUrl + pathname, token, offset, unfinished.subarray(offset));
    expect(rest.status).toBe(204);
  });
});

/** Sends the first 100,000 bytes of an upload and leaves the request open. */
function stall(url: string, token: string, bytes: Uint8Array): ReturnType<typeof httpRequest> {
  const request = httpRequest(url, {
    method: 'PATCH',
    agent: new Agent(),
    headers: {
      'tus-resumable': '1.0.0',
      authorization: `Bearer ${token}`,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
      'content-length': String(bytes.length),
    },
  });
  request.on('error', () => undefined);
  request.on('response', (response) => response.resume());
  request.write(bytes.subarray(0, 100_000));
  return request;
}
