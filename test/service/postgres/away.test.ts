import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServiceProcess } from '../support/service-process.js';
import type { ServiceProcess } from '../support/service-process.js';
import { seen, Session } from './careful-client.js';
import { findPostgres, startPostgres, WITHOUT_FLUSHES } from './server.js';
import type { TemporaryPostgres } from './server.js';

describe('an outage of PostgreSQL under load', () => {
  let server: TemporaryPostgres;
  let folder: string;
  const processes: ServiceProcess[] = [];

  beforeAll(async () => {
    const programs = await findPostgres();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    server = await startPostgres(programs, WITHOUT_FLUSHES);
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-away-'));
    const options = { databaseUrl: server.url, dataDir: folder };
    const first = await startServiceProcess(options);
    processes.push(first, await startServiceProcess({ ...options, baseUrl: first.ownUrl }));
  });
  afterAll(async () => {
    for (const one of processes) await one.kill();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('returns 503 with Retry-After and loses no session, completed upload or process', async () => {
    const [one, two] = processes;
    if (one === undefined || two === undefined) throw new Error('there are no processes');
    const sessions: Session[] = [];
    for (const at of [one, two, one, two])
      sessions.push(new Session(at.ownUrl, await at.connect()));
    let over = false;
    const work = sessions.map((session, index) => session.work(String(index), () => over));
    const ended = Promise.all(work);

    for (const mode of ['fast', 'immediate', 'fast', 'immediate'] as const) {
      await Promise.race([sleep(700), ended]);
      await server.halt(mode);
      await sleep(500);
      await server.resume();
      for (const { ownUrl } of processes)
        while ((await fetch(`${ownUrl}/healthz`)).status !== 200) await sleep(50);
    }
    await Promise.race([sleep(700), ended]);
    over = true;
    const finished = await ended;

    expect(seen.wrong).toEqual([]);
    // It was unavailable during their requests.
    expect(seen.away).toBeGreaterThan(0);
    for (const [index, session] of sessions.entries()) {
      expect(session.refreshes).toBeGreaterThan(0);
      await session.refresh();
      const photos = finished[index] ?? new Map<string, string>();
      expect(photos.size).toBeGreaterThan(0);
      expect(await session.lost(photos)).toEqual([]);
    }
  });
});
