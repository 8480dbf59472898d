import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { buildBundle } from '../scripts/build-bundle.js';
import { hostApp, storageOf } from '../test/host/manifest.js';
import { bundle } from './bundle.js';
import type { BenchOptions } from './options.js';
import { report, versionOf } from './report.js';
import type { StartUpTimes } from './start-up/measure.js';
import { leaveWaitingPhotos } from './start-up/waiting-photos.js';
import { median } from './statistics.js';

const ROOT = join(import.meta.dirname, '..');
const WAITING = 10_000;
/** The default UXP version of the simulated host. */
const UXP = '8.4.0';

interface Panel {
  readonly name: string;
  readonly dist: string;
  /** A storage to start from; none when left out. */
  readonly storage?: string;
  /** The content that must be present before the first view counts as shown. */
  readonly awaits?: string;
}

/** Evaluation of the page's script, first painted panel, first view, and the content of the bundle. */
export async function startUp(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-up-'));
  try {
    const dist = join(folder, 'dist');
    // Nobody listens there: the measurement ends before anything is sent.
    const said = await buildBundle({ serviceBaseUrl: 'http://localhost:9', outputDir: dist });
    const minimalDist = join(folder, 'preact');
    const minimal = await bundle('./bench/start-up/preact-panel.js');
    await writePanel(minimalDist, minimal);
    const storage = join(folder, 'waiting');
    const waiting = options.scale === 'small' ? 100 : WAITING;
    // A host keeps what plugins store in a folder of each version of the app.
    await leaveWaitingPhotos(storageOf(storage, hostApp('PS', UXP)), waiting);

    const panels: readonly Panel[] = [
      { name: 'plugin, nothing waiting', dist, awaits: '[data-focus]' },
      { name: `plugin, ${waiting} photos waiting`, dist, storage, awaits: '.photo' },
      { name: 'minimal Preact panel', dist: minimalDist },
    ];
    const times = panels.map((): StartUpTimes[] => []);
    const rounds = options.rounds * 2 - 1;
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, panel] of panels.entries()) {
        times[index]?.push(await measureOnce(panel, join(folder, `run-${round}-${index}`)));
      }
    }

    const read = (name: string): Promise<string> => readFile(join(dist, name), 'utf8');
    const script = (await read('shell.js')) + (await read('main.js'));
    const sizes = [...said.matchAll(/^ {2}(\S+) +([\d.]+) KB$/gm)];
    if (sizes.length === 0) {
      throw new Error('the build did not say what is in the bundle');
    }
    const of = (index: number, what: Exclude<keyof StartUpTimes, 'process'>): number =>
      median((times[index] ?? []).map((one) => one[what] ?? Number.NaN));
    report(
      {
        part: 'start-up',
        tables: [
          {
            title: 'Start in the simulated host, milliseconds',
            columns: [
              'Panel',
              'Script evaluation',
              'First painted panel',
              'First view or photos',
              'Script, KB',
              'Gzipped, KB',
            ],
            rows: panels.map(({ name, awaits }, index) => {
              const text = index === 2 ? minimal : script;
              return [
                name,
                of(index, 'evaluationMs').toFixed(1),
                of(index, 'paintedMs').toFixed(1),
                awaits === undefined ? '–' : of(index, 'viewMs').toFixed(1),
                kilobytes(text.length),
                kilobytes(gzipSync(text, { level: 9 }).length),
              ];
            }),
          },
          {
            title: 'What the plugin’s script consists of, minified',
            columns: ['From', 'KB'],
            rows: sizes.map(([, name = '', size = '']) => [name, size]),
          },
        ],
        processes: times.flatMap(([one]) => (one === undefined ? [] : [one.process])),
        measurements: panels.map(({ name }, index) => ({ name, times: times[index] })),
        notes: [
          `Medians of ${rounds} starts, each in a separate process. The panels take turns. The page is jsdom, so the times do not include drawing by a host.`,
        ],
        versions: { Preact: versionOf('preact') },
      },
      startedAt,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

async function measureOnce(panel: Panel, storageDir: string): Promise<StartUpTimes> {
  if (panel.storage !== undefined) {
    await cp(panel.storage, storageDir, { recursive: true });
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...['--import', 'tsx', join(import.meta.dirname, 'start-up/measure.ts')],
      ...[panel.dist, storageDir, panel.awaits ?? ''],
    ],
    { cwd: ROOT },
  );
  await rm(storageDir, { recursive: true, force: true });
  return JSON.parse(stdout) as StartUpTimes;
}

async function writePanel(folder: string, script: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = {
    manifestVersion: 5,
    id: 'com.example.preact',
    name: 'Minimal Preact panel',
    version: '1.0.0',
    main: 'index.html',
    host: [{ app: 'PS', minVersion: '26.9.0' }],
    entrypoints: [{ type: 'panel', id: 'preactPanel', label: 'Preact' }],
    requiredPermissions: {},
  };
  const page =
    '<!DOCTYPE html><html><head></head><body><script src="main.js"></script></body></html>';
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'main.js'), script);
}
