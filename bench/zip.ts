import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAccountWithWorkspace } from '../service/identity/accounts/accounts.js';
import { markAsSearched } from '../test/service/support/searched-photos.js';
import { openEmbeddedDatabase } from '../service/kernel/database/pglite.js';
import { sha256 } from '../service/kernel/hash.js';
import type { BenchOptions } from './options.js';
import type { MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease, type Release } from './release.js';
import { report } from './report.js';
import { median, quantile } from './statistics.js';

const OWNER = {
  username: 'olga',
  password: 'a password of the owner',
  displayName: 'Olga',
  workspace: 'Olga Studio',
};
const PHOTOS = 10_000;
/** How many HEAD requests run at a time. */
const HEADS = 6;
const OPEN_ZIPS = 64;
const LINKS = Array.from({ length: 4 }, () => randomBytes(24).toString('base64url'));
/** Longer than all buffers on the way to a client that does not read. */
const FIRST_BYTES = 64 * 1024 * 1024;
const PAUSE_MS = 10;

interface Load {
  readonly name: string;
  /** Duration of each request of another client, in milliseconds. */
  readonly times: readonly number[];
  /** How many requests the load has made. */
  readonly made: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/**
 * Measures the page of a link for another client while ZIPs of 10,000 photos are downloaded, and the memory of many
 * open ZIPs. Photos have names of 250 bytes with spaces in the middle.
 */
export async function zip({ scale }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const forMs = scale === 'small' ? 1000 : 8000;
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-zip-'));
  try {
    const release = buildRelease();
    await prepareData(release, dataDir);
    const service = await startRelease(release, { dataDir });
    try {
      const { port } = service;
      const others = `/s/${LINKS[0] ?? ''}`;
      const head = (turn: number): Promise<number> =>
        ask(port, 'HEAD', `/s/${LINKS[turn % LINKS.length] ?? ''}/zip`, `203.0.113.${turn % 200}`);
      await whileLoaded('warm-up', port, others, forMs, HEADS, head);
      const quiet = await whileLoaded('nothing else', port, others, forMs, 0, head);
      const heads = await whileLoaded(`${HEADS} HEADs at a time`, port, others, forMs, HEADS, head);
      const before = await memoryOf(service.processId);
      const open = await openZips(port);
      const after = await memoryOf(service.processId);
      const withOpen = await whileLoaded(`${open} open ZIPs`, port, others, forMs, 0, head);
      agent.destroy();
      tell(
        [quiet, heads, withOpen],
        { open, before, after, measured: service.measured },
        startedAt,
      );
    } finally {
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function prepareData(release: Release, dataDir: string): Promise<void> {
  const service = await startRelease(release, { dataDir });
  await service.stop();
  const database = await openEmbeddedDatabase(join(dataDir, 'database'));
  await database.transaction(
    async (transaction) => {
      await createAccountWithWorkspace(transaction, OWNER);
      const own = `workspace_members JOIN accounts ON accounts.id = account_id WHERE username = '${OWNER.username}'`;
      await transaction.query(
        `INSERT INTO projects (id, workspace_id, name, created_at)
         SELECT 'wedding', workspace_id, 'Wedding', now() FROM ${own}`,
      );
      await transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                              sha256, project_id)
         SELECT 'photo-' || n, account_id, workspace_id, CASE n WHEN ${PHOTOS} THEN ${FIRST_BYTES} ELSE 5000000 END,
                'IMG' || repeat(' ', 240) || n % 5000 || '.jpg', 'image/jpeg', '{}', now(),
                now() + n * interval '1 ms', repeat('0', 64), 'wedding'
           FROM generate_series(1, ${PHOTOS}) AS n, ${own}`,
      );
      await markAsSearched(transaction);
      for (const [index, token] of LINKS.entries()) {
        await transaction.query(
          `INSERT INTO shares (id, token_sha256, workspace_id, created_by, project_id, created_at, expires_at)
           SELECT $1, $2, workspace_id, account_id, 'wedding', now(), now() + interval '1 day' FROM ${own}`,
          [`link-${index}`, sha256(token)],
        );
      }
    },
    { noTimeout: true },
  );
  await database.close();
  await mkdir(join(dataDir, 'uploads'), { recursive: true });
  const first = join(dataDir, 'uploads', `photo-${PHOTOS}`);
  await writeFile(first, '');
  await truncate(first, FIRST_BYTES);
}

/** Makes one request and reads its answer. @returns how long that took, in milliseconds. */
function ask(port: number, method: string, path: string, from: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-For': from };
    request({ agent, host: 'localhost', port, method, path, headers }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`${method} was answered with ${response.statusCode ?? 0}`));
      }
      response.resume().once('end', () => {
        resolve(performance.now() - began);
      });
    })
      .once('error', reject)
      .end();
  });
}

async function whileLoaded(
  name: string,
  port: number,
  path: string,
  forMs: number,
  atOnce: number,
  load: (turn: number) => Promise<unknown>,
): Promise<Load> {
  const end = performance.now() + forMs;
  let made = 0;
  const loading = Array.from({ length: atOnce }, async () => {
    while (performance.now() < end) {
      made += 1;
      await load(made);
    }
  });
  const times: number[] = [];
  while (performance.now() < end) {
    times.push(await ask(port, 'GET', path, '192.0.2.17'));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await Promise.all(loading);
  return { name, times, made };
}

/** Opens ZIPs and reads nothing of them. @returns how many were opened. */
async function openZips(port: number): Promise<number> {
  const opened = Array.from(
    { length: OPEN_ZIPS },
    (_, index) =>
      new Promise<boolean>((resolve, reject) => {
        const path = `/s/${LINKS[index % LINKS.length] ?? ''}/zip`;
        const headers = { 'X-Forwarded-For': `198.51.100.${index}` };
        request({ agent, host: 'localhost', port, path, headers }, (response) => {
          response.once('error', () => undefined);
          resolve(response.statusCode === 200);
        })
          .once('error', reject)
          .end();
      }),
  );
  return (await Promise.all(opened)).filter(Boolean).length;
}

/** The memory of a process that is in use, in MiB. */
async function memoryOf(processId: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${processId ?? 'self'}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function tell(
  loads: readonly Load[],
  {
    open,
    before,
    after,
    measured,
  }: { open: number; before: number; after: number; measured: MeasuredProcess },
  startedAt: Date,
): void {
  const quiet = median(loads[0]?.times ?? []);
  report(
    {
      part: 'zip',
      tables: [
        {
          title: 'The page of a link, while ZIPs of 10,000 photos are asked for',
          columns: ['Beside', 'Median, ms', '99 %, ms', 'Slowest, ms', 'Median to quiet', 'Load'],
          rows: loads.map(({ name, times, made }) => [
            name,
            median(times).toFixed(1),
            quantile(times, 0.99).toFixed(1),
            Math.max(...times).toFixed(1),
            (median(times) / quiet).toFixed(1),
            made === 0 ? '–' : `${made} requests`,
          ]),
        },
        {
          title: 'Memory of the service',
          columns: ['', 'MiB'],
          rows: [
            ['before', before.toFixed(0)],
            [`with ${open} open ZIPs`, after.toFixed(0)],
            ['for each', ((after - before) / Math.max(open, 1)).toFixed(2)],
          ],
        },
      ],
      processes: [measured],
      measurements: { loads, open, before, after },
      notes: [
        'A service process with the embedded database; all requests come over loopback from one other process.',
      ],
    },
    startedAt,
  );
}
