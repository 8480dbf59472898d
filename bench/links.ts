import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { send } from '../test/service/support/users.js';
import type { StatusTask, StatusTimes } from './links/status-process.js';
import type { BenchOptions } from './options.js';
import { onLines } from './plugin-on-lines.js';
import { report } from './report.js';
import type { LineShape } from './shaping-proxy.js';
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
  const count = options.scale === 'small' ? LINKS / 10 : LINKS;
  const { measured, processes } = await onLines<'plugin', StatusTimes>(
    options,
    { lines: LINES, ways: ['plugin'], app: 'ID', scope: SCOPE, script: PROCESS },
    async ({ baseUrl, accessToken }) => ({ links: await upload(baseUrl, accessToken, count) }),
  );
  const seconds = (times: readonly number[]): string => (median(times) / 1000).toFixed(2);
  report(
    {
      part: 'links',
      tables: [
        {
          title: `The state of ${count} links, in seconds`,
          columns: ['Line', 'Document opened', 'Check now'],
          rows: measured.map(({ line, times: { plugin } }) => [
            line,
            seconds(plugin.map(({ openMs }) => openMs)),
            seconds(plugin.map(({ checkMs }) => checkMs)),
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
}

/** Sends files, and a second version of every other one. @returns the first versions */
async function upload(baseUrl: string, accessToken: string, count: number): Promise<Link[]> {
  const placed: Link[] = [];
  const next = Array.from({ length: count }, (_, index) => index).values();
  const sendOne = async (index: number): Promise<Link> => {
    const bytes = randomBytes(FILE_BYTES);
    const document = `xmp.did:${index}`;
    const name = `Picture ${index}.jpg`;
    const id = await send({ baseUrl }, accessToken, name, bytes, { document });
    return { id, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const work = async (): Promise<void> => {
    for (const index of next) {
      placed.push(await sendOne(index));
      if (index % 2 === 0) {
        await sendOne(index);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDING }, work));
  return placed;
}
