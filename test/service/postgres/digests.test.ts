import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { approveDevice } from '../support/browser-client.js';
import { listUploads, poll, startDevice, tokensOf } from '../support/oauth-client.js';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.js';
import {
  authorization,
  create,
  head,
  locationOf,
  patch,
  photo,
  sha256,
} from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { startProxy, type RoundRobinProxy } from './proxy.js';

const SERVER = process.env['TEST_DATABASE_URL'];
const ROUNDS = 6;
/** Reading it through takes longer than an answer. */
const BYTES = photo(8_000_000, 61);

describe('two processes with requests about an upload at its last byte', () => {
  let databaseUrl: string;
  let folder: string;
  let proxy: RoundRobinProxy;
  let processes: ServiceProcess[] = [];
  let token: string;
  /** The origins of the two. */
  let one: string;
  let two: string;

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER ?? '');
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-digests-'));
    proxy = await startProxy();
    const start = (): Promise<ServiceProcess> =>
      startServiceProcess({
        databaseUrl,
        dataDir: folder,
        baseUrl: proxy.baseUrl,
        args: ['--poll-interval-seconds', '1'],
      });
    processes = await Promise.all([start(), start()]);
    const ports = processes.map(({ port }) => port);
    proxy.use(ports);
    [one = '', two = ''] = ports.map((port) => `http://127.0.0.1:${port}`);
    const { deviceCode, userCode } = await startDevice(proxy.baseUrl);
    await approveDevice(proxy.baseUrl, userCode, DEMO_ACCOUNT);
    token = tokensOf(await poll(proxy.baseUrl, deviceCode)).accessToken;
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all(processes.map((process) => process.stop()));
    await rm(folder, { recursive: true, force: true });
    await dropDatabase(SERVER ?? '', databaseUrl);
  });

  it.each([true, false])('both verify it by the client’s digest: %s', async (isRight) => {
    const digest = Buffer.from(isRight ? sha256(BYTES) : '0'.repeat(64), 'hex');
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = `of-two-processes-${String(isRight)}-${round}`;
      const creation = { length: BYTES.length, metadata: { client_upload_id: id } };
      const url = locationOf(one, await create(one, token, creation));
      const { pathname } = new URL(url);
      const most = BYTES.length - 1;
      expect((await patch(url, token, 0, BYTES.subarray(0, most))).status).toBe(204);
      const sent = fetch(url, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          ...authorization(token),
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(most),
          'repr-digest': `sha-256=:${digest.toString('base64')}:`,
        },
        body: BYTES.subarray(most),
      });
      let end: number | undefined;
      void sent.then(({ status }) => (end = status));
      const seen: string[] = [];
      while (end === undefined) {
        const { status, headers } = await head(two + pathname, token);
        seen.push(`${status} ${headers.get('upload-offset') ?? ''}`);
      }

      expect(isRight ? [204] : [404, 460]).toContain(end);
      const last = await head(two + pathname, token);
      const { body } = await listUploads(two, token);
      const listed = (body['uploads'] as { client_upload_id: string }[]).filter(
        (upload) => upload.client_upload_id === id,
      );
      if (isRight) {
        expect(last.headers.get('upload-offset')).toBe(String(BYTES.length));
        expect(listed).toHaveLength(1);
      } else {
        expect(seen).not.toContain(`200 ${BYTES.length}`);
        expect(listed).toEqual([]);
        expect(last.status).toBe(404);
        expect(await readdir(path.join(folder, 'uploads'))).not.toContain(path.basename(url));
      }
    }
  });
});
