import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { hosts } from '../build/hosts.js';
import { buildPlugin } from '../scripts/kept-build.js';
import type { StatusTask, StatusTimes } from './links/status-process.js';
import { forked } from './forked.js';
import { wantedRows, type BenchOptions } from './options.js';
import { buildRelease, startRelease } from './release.js';
import { report } from './report.js';
import { startShapingProxy, type LineShape } from './shaping-proxy.js';
import { median } from './statistics.js';

const LINKS = 500;
const PROCESS = join(import.meta.dirname, 'links', 'status-process.ts');
const SCOPE = 'uploads:write uploads:read workspace:read';
const FILE_BYTES = 2_000;
/** How many files are sent at a time. */
const SENDING = 4;

/** The round trip is 20 ms. */
const LINES: Readonly<Record<string, LineShape>> = {
  loopback: { delayMs: 0 },
  '50 Mbit/s': { delayMs: 10, bytesPerSecond: 50_000_000 / 8 },
};

type Link = StatusTask['links'][number];

/** The state of the links of a document in the panel: when it is opened, and by a press. */
export async function links(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows(Object.keys(LINES), options.only);
  const folder = await mkdtemp(join(tmpdir(), 'bench-links-'));
  try {
    const service = await startRelease(buildRelease(), { dataDir: join(folder, 'data') });
    try {
      const { accessToken } = await service.connect(SCOPE);
      const count = options.scale === 'small' ? LINKS / 10 : LINKS;
      const placed = await upload(service.ownUrl, accessToken, count);
      const measured: { readonly line: string; readonly times: readonly StatusTimes[] }[] = [];
      const processes = [service.measured];
      for (const [line, shape] of Object.entries(LINES).filter(([name]) => wanted.has(name))) {
        const proxy = await startShapingProxy(service.port, shape);
        const baseUrl = `http://localhost:${proxy.port}`;
        const dist = join(folder, 'dist');
        await buildPlugin(
          baseUrl,
          dist,
          hosts.find(({ app }) => app === 'ID'),
        );
        const times: StatusTimes[] = [];
        try {
          for (let round = 0; round < options.rounds; round += 1) {
            const own = join(folder, 'run');
            const task: StatusTask = { dist, folder: own, baseUrl, accessToken, links: placed };
            const { process: one, ...found } = await forked<StatusTimes>(PROCESS, 'plugin', task);
            times.push(found);
            processes.push(one);
            console.log(`${line}: ${found.openMs.toFixed(0)} ms, ${found.checkMs.toFixed(0)} ms`);
            await rm(own, { recursive: true, force: true });
          }
        } finally {
          await proxy.close();
        }
        measured.push({ line, times });
      }
      const seconds = (times: readonly number[]): string => (median(times) / 1000).toFixed(2);
      report(
        {
          part: 'links',
          tables: [
            {
              title: `The state of ${count} links, in seconds`,
              columns: ['Line', 'Document opened', 'Check now'],
              rows: measured.map(({ line, times }) => [
                line,
                seconds(times.map(({ openMs }) => openMs)),
                seconds(times.map(({ checkMs }) => checkMs)),
              ]),
            },
          ],
          processes,
          measurements: measured,
          notes: [
            'The built plugin in the simulated InDesign. Document opened: from its opening to the line with the newer versions, of which every second link has one.',
            'Check now: from the press to the end of the look, which changes nothing.',
          ],
        },
        startedAt,
      );
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends files, and a second version of every other one. @returns the first versions */
async function upload(baseUrl: string, accessToken: string, count: number): Promise<Link[]> {
  const placed: Link[] = [];
  const next = Array.from({ length: count }, (_, index) => index).values();
  const send = async (index: number): Promise<Link> => {
    const bytes = randomBytes(FILE_BYTES);
    const text = (value: string): string => Buffer.from(value).toString('base64');
    const response = await fetch(`${baseUrl}/api/v1/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'tus-resumable': '1.0.0',
        'upload-length': String(bytes.length),
        'upload-metadata': `filename ${text(`Picture ${index}.jpg`)},document ${text(`xmp.did:${index}`)}`,
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
    });
    const location = response.headers.get('location');
    if (response.status !== 201 || location === null) {
      throw new Error(`the service answered ${response.status}`);
    }
    return { id: basename(location), sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const work = async (): Promise<void> => {
    for (const index of next) {
      placed.push(await send(index));
      if (index % 2 === 0) {
        await send(index);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDING }, work));
  return placed;
}
