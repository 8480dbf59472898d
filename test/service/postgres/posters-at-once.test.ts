import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { film } from '../../support/films.js';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.js';
import { authorization, create, locationOf } from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { startProxy, type RoundRobinProxy } from './proxy.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
const ROUNDS = 5;

describe('two processes that get posters of one film', () => {
  let databaseUrl: string;
  let folder: string;
  let proxy: RoundRobinProxy;
  let processes: ServiceProcess[] = [];
  let token: string;

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER);
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-posters-'));
    proxy = await startProxy();
    const start = (): Promise<ServiceProcess> =>
      startServiceProcess({ databaseUrl, dataDir: folder, baseUrl: proxy.baseUrl });
    processes = await Promise.all([start(), start()]);
    proxy.use(processes.map(({ port }) => port));
    const [first] = processes;
    token = (await first?.connect())?.accessToken ?? '';
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all(processes.map((process) => process.stop()));
    await rm(folder, { recursive: true, force: true });
    await dropDatabase(SERVER, databaseUrl);
  });

  it('take one, and keep its bytes', async () => {
    const bytes = new Uint8Array(film('counting.webm'));
    const head = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1');
    for (let round = 0; round < ROUNDS; round += 1) {
      const created = await create(proxy.baseUrl, token, {
        ...{ length: bytes.length, metadata: { filename: `Reel ${round}.webm` }, body: bytes },
      });
      const id = locationOf(proxy.baseUrl, created).split('/').at(-1) ?? '';
      const sent = Array.from({ length: 6 }, (_, index) =>
        Buffer.concat([head, Buffer.alloc(100_000, index)]),
      );
      const statuses = await Promise.all(
        sent.map(async (body, index) => {
          const origin = `http://127.0.0.1:${processes[index % 2]?.port ?? 0}`;
          const answer = await fetch(`${origin}/api/v1/uploads/${id}/poster`, {
            ...{ method: 'PUT', headers: authorization(token), body: new Uint8Array(body) },
          });
          return answer.status;
        }),
      );
      expect(statuses.toSorted()).toEqual([204, 409, 409, 409, 409, 409]);
      const stored = await readFile(path.join(folder, 'uploads', `${id}.poster`));
      expect(sent.findIndex((body) => body.equals(stored))).toBe(statuses.indexOf(204));
    }
  });
});
