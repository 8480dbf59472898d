import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';

import { launchBrowser } from '../test/e2e/browser.js';
import { bundle } from './bundle.js';
import { checkOut, type Checkout } from './checkout.js';
import type { MeasuredProcess } from './measured-process.js';
import { wantedRows, type BenchOptions } from './options.js';
import { buildRelease, startRelease, type RunningRelease } from './release.js';
import { report, versionOf } from './report.js';
import { startShapingProxy, type LineShape } from './shaping-proxy.js';
import { median } from './statistics.js';
import { measureInPage, type PageFiles } from './uploads/browser-page.js';
import { writeNoise } from './uploads/files.js';
import type { PathName } from './uploads/page.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const MB = 1_000_000;
const CONCURRENCY = 3;

/** A path of the page, or the plugin at an earlier commit. */
type Way = PathName | 'pluginBefore' | 'pluginFromPickBefore';

/** The same of now. */
const NOW = { pluginBefore: 'plugin', pluginFromPickBefore: 'pluginFromPick' } as const;

/** The present path that is also measured at the earlier commit. */
const BEFORE: Readonly<Partial<Record<Way, Way>>> = {
  plugin: 'pluginBefore',
  pluginFromPick: 'pluginFromPickBefore',
};

interface Row {
  readonly name: string;
  readonly line: string;
  readonly shape: LineShape | null;
  readonly count: number;
  readonly size: number;
  readonly paths: readonly Way[];
}

/** Those that are compared; `bare` is the limit. */
const COMPARED: readonly Way[] = ['bare', 'plugin', 'tusJsClient', 'uppy'];
const HANDED_OVER: readonly Way[] = [
  'bare',
  'bareFromSpool',
  'bareArrayBuffer',
  'bareTypedArray',
  'plugin',
  'pluginArrayBuffer',
];

const FAR: LineShape = { delayMs: 20 };
const NARROW: LineShape = { delayMs: 10, bytesPerSecond: 50_000_000 / 8, windowBytes: 256 * KIB };

const ROWS: readonly Row[] = [
  ...onLine('0 ms', null, [1, 1024 * MIB], [500, 256 * KIB], [200, 8 * MB]),
  ...onLine('40 ms', FAR, [1, 512 * MIB], [250, 256 * KIB], [50, 8 * MB]),
  ...onLine('50 Mbit/s', NARROW, [1, 32 * MIB], [60, 256 * KIB], [3, 8 * MB]),
  {
    name: 'hand-over',
    line: '0 ms',
    shape: null,
    count: 8,
    size: 8 * MB,
    paths: HANDED_OVER,
  },
  {
    name: 'from the pick',
    line: '0 ms',
    shape: null,
    count: 30,
    size: 8 * MB,
    paths: ['plugin', 'pluginFromPick'],
  },
  {
    name: 'one large from the pick',
    line: '0 ms',
    shape: null,
    count: 1,
    size: 512 * MIB,
    paths: ['plugin', 'pluginFromPick'],
  },
];

function onLine(
  line: string,
  shape: LineShape | null,
  large: readonly [count: number, size: number],
  small: readonly [count: number, size: number],
  shoot: readonly [count: number, size: number],
): Row[] {
  const kinds = { 'one large': large, 'many small': small, 'a shoot': shoot };
  return Object.entries(kinds).map(([name, [count, size]]) => ({
    name,
    line,
    shape,
    count,
    size,
    paths: COMPARED,
  }));
}

interface Measured {
  readonly row: string;
  readonly files: string;
  /** Milliseconds of each round, by way. */
  readonly ms: Readonly<Partial<Record<Way, readonly number[]>>>;
}

/** Uploads in a real browser: the plugin, its peers, and the bare requests that are the limit. */
export async function uploads(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows(ROWS.map(nameOf), options.only);
  const folder = await mkdtemp(join(tmpdir(), 'bench-uploads-'));
  let service: RunningRelease | undefined;
  let checkout: Checkout | undefined;
  let browser: Browser | undefined;
  try {
    const page = await pageOf(join(import.meta.dirname, '..'));
    const { against } = options;
    checkout = against === undefined ? undefined : checkOut(against, join(folder, 'earlier'));
    const earlier = checkout === undefined ? null : await pageOf(checkout.folder);
    const dataDir = join(folder, 'data');
    service = await startRelease(buildRelease(), { dataDir });
    const { accessToken } = await service.connect();
    // Each way has its own limits. A slow disk may need minutes for the copies that are made before the time starts.
    browser = await launchBrowser({ protocolTimeout: 0 });
    const measured: Measured[] = [];
    const about = {
      before: checkout?.name ?? '',
      version: await browser.version(),
      processes: [service.measured],
    };
    const stage = { folder, dataDir, service, browser, page, earlier, accessToken };
    const rows = ROWS.filter((row) => wanted.has(nameOf(row)));
    // A machine that has just been started is slow at first: its memory is given to it when it is used.
    const [first] = rows;
    if (first) {
      await measureRow(first, { ...options, rounds: 1 }, stage);
    }
    for (const row of rows) {
      measured.push(await measureRow(row, options, stage));
      // After each row, so that an aborted run keeps its results.
      publish(measured, options, about, startedAt);
    }
  } finally {
    await browser?.close();
    await service?.stop();
    checkout?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

interface About {
  /** The compared commit. */
  readonly before: string;
  readonly version: string;
  readonly processes: readonly MeasuredProcess[];
}

async function pageOf(root: string): Promise<PageFiles> {
  return {
    script: await bundle('./bench/uploads/page.ts', root),
    style: await readFile(join(root, 'src/static/panel.css'), 'utf8'),
  };
}

function nameOf({ name, line }: Row): string {
  return `${name}, ${line}`;
}

interface Stage {
  readonly folder: string;
  readonly dataDir: string;
  readonly service: RunningRelease;
  readonly browser: Browser;
  readonly page: PageFiles;
  readonly earlier: PageFiles | null;
  readonly accessToken: string;
}

async function measureRow(row: Row, options: BenchOptions, stage: Stage): Promise<Measured> {
  const { folder, dataDir, service, browser, page, earlier, accessToken } = stage;
  const [count, size] =
    options.scale === 'small'
      ? [Math.ceil(row.count / 10), row.count === 1 ? row.size / 16 : row.size]
      : [row.count, row.size];
  const files = await writeNoise(join(folder, 'files'), row.name, count, size);
  const proxy = row.shape === null ? null : await startShapingProxy(service.port, row.shape);
  const to = {
    baseUrl: `http://localhost:${proxy?.port ?? service.port}`,
    accessToken,
    concurrency: CONCURRENCY,
  };
  const ways = row.paths.flatMap((path): Way[] => {
    const { [path]: before } = BEFORE;
    return earlier !== null && before !== undefined ? [path, before] : [path];
  });
  const ms: Partial<Record<Way, number[]>> = {};
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      // Another one begins each round, so that none is always the first after a pause.
      const shift = round % ways.length;
      for (const way of [...ways.slice(shift), ...ways.slice(0, shift)]) {
        const time =
          way === 'pluginBefore' || way === 'pluginFromPickBefore'
            ? await measureInPage(browser, earlier ?? page, files, NOW[way], to)
            : await measureInPage(browser, page, files, way, to);
        (ms[way] ??= []).push(time);
        console.log(`${nameOf(row)}: ${way} ${(time / 1000).toFixed(2)} s`);
        await removeArrived(join(dataDir, 'uploads'));
      }
    }
  } finally {
    await proxy?.close();
    await rm(join(folder, 'files'), { recursive: true, force: true });
  }
  return { row: nameOf(row), files: `${count} × ${sizeText(size)}`, ms };
}

async function removeArrived(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    await rm(join(folder, name), { force: true });
  }
}

function sizeText(bytes: number): string {
  if (bytes % (1024 * MIB) === 0) {
    return `${bytes / 1024 / MIB} GiB`;
  }
  if (bytes % MIB === 0) {
    return `${bytes / MIB} MiB`;
  }
  return bytes % MB === 0 ? `${bytes / MB} MB` : `${bytes / KIB} KiB`;
}

/** How much of the limit a way reaches: the median over the rounds of its ratio to `base` in the same round. */
function ratio({ ms }: Measured, path: Way, base: Way): number {
  const bases = ms[base] ?? [];
  return median((ms[path] ?? []).map((time, round) => (bases[round] ?? Number.NaN) / time));
}

function publish(
  measured: readonly Measured[],
  options: BenchOptions,
  about: About,
  startedAt: Date,
): void {
  const compared = measured.filter(({ ms }) => ms.uppy !== undefined);
  const before = compared.filter(({ ms }) => ms.pluginBefore !== undefined);
  const others = measured.filter(({ ms }) => ms.uppy === undefined);
  const seconds = (one: Measured, path: Way): string =>
    (median(one.ms[path] ?? []) / 1000).toFixed(2);
  report(
    {
      part: ['uploads', ...(options.only?.toLowerCase().match(/\w+/g) ?? [])].join('-'),
      tables: [
        {
          title: 'Share of the limit reached (bare requests = 1; higher is better)',
          columns: ['Row', 'Files', 'Limit, s', 'Plugin', 'tus-js-client', 'Uppy'],
          rows: compared.map((one) => [
            one.row,
            one.files,
            seconds(one, 'bare'),
            ...COMPARED.slice(1).map((path) => ratio(one, path, 'bare').toFixed(2)),
          ]),
        },
        ...(before.length === 0
          ? []
          : [
              {
                title: `Before and after: the plugin at ${about.before} and now, in turn in the same rounds`,
                columns: [
                  'Row',
                  'Before, s',
                  'Now, s',
                  'Share before',
                  'Share now',
                  'Now ÷ before',
                ],
                rows: before.map((one) => [
                  one.row,
                  seconds(one, 'pluginBefore'),
                  seconds(one, 'plugin'),
                  ratio(one, 'pluginBefore', 'bare').toFixed(2),
                  ratio(one, 'plugin', 'bare').toFixed(2),
                  (1 / ratio(one, 'plugin', 'pluginBefore')).toFixed(2),
                ]),
              },
            ]),
        ...others.map((one) => ({
          title: `${one.row}, ${one.files}`,
          columns: ['Way', 'Median, s', 'Share of the first'],
          rows: (Object.keys(one.ms) as Way[]).map((path) => [
            path,
            seconds(one, path),
            ratio(one, path, Object.keys(one.ms)[0] as Way).toFixed(2),
          ]),
        })),
      ],
      processes: about.processes,
      measurements: measured,
      notes: [
        `${options.rounds} rounds, the ways in turn within each; each share is the median over the rounds of limit time ÷ own time in the same round.`,
        'Before each way the machine writes to disk what is still to be written; one round before the first row is not counted.',
        `${CONCURRENCY} uploads at once, except Uppy with its defaults: it starts 20, of which the browser lets six through.`,
      ],
      versions: {
        Browser: about.version,
        'tus-js-client': versionOf('tus-js-client'),
        '@uppy/core': versionOf('@uppy/core'),
        '@uppy/tus': versionOf('@uppy/tus'),
      },
    },
    startedAt,
  );
}
