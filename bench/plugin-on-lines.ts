import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hosts, type HostApp } from '../build/hosts.js';
import { buildPlugin } from '../scripts/kept-build.js';
import { forked } from './forked.js';
import type { MeasuredProcess } from './measured-process.js';
import { wantedRows, type BenchOptions } from './options.js';
import { buildRelease, startRelease } from './release.js';
import { startShapingProxy, type LineShape } from './shaping-proxy.js';

/** Of the task of a process that measures. */
export interface TaskOnLine<Way extends string> {
  readonly way: Way;
  /** The plugin, built for the address below. */
  readonly dist: string;
  /** Not there yet. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly accessToken: string;
}

interface OnLines<Way extends string, Times> {
  readonly measured: readonly {
    readonly line: string;
    readonly times: Readonly<Record<Way, readonly Times[]>>;
  }[];
  readonly processes: readonly MeasuredProcess[];
}

/**
 * Measures the built plugin, connected to a service behind shaped lines. The ways take turns, each time in a separate process.
 * @param script of that process
 * @param prepare gives the service what is needed, past the lines. @returns the rest of the task
 */
export async function onLines<Way extends string, Times extends object>(
  options: BenchOptions,
  setting: {
    readonly lines: Readonly<Record<string, LineShape>>;
    readonly ways: readonly Way[];
    readonly app: HostApp['app'];
    readonly scope: string;
    readonly script: string;
  },
  prepare: (to: {
    readonly baseUrl: string;
    readonly accessToken: string;
    readonly folder: string;
  }) => Promise<object>,
): Promise<OnLines<Way, Times>> {
  const { lines, ways, app, scope, script } = setting;
  const wanted = wantedRows(Object.keys(lines), options.only);
  const folder = await mkdtemp(join(tmpdir(), 'bench-lines-'));
  try {
    const service = await startRelease(buildRelease(), { dataDir: join(folder, 'data') });
    try {
      const { accessToken } = await service.connect(scope);
      const more = await prepare({ baseUrl: service.ownUrl, accessToken, folder });
      const measured: { line: string; times: Record<Way, Times[]> }[] = [];
      const processes = [service.measured];
      for (const [line, shape] of Object.entries(lines).filter(([name]) => wanted.has(name))) {
        const proxy = await startShapingProxy(service.port, shape);
        const baseUrl = `http://localhost:${proxy.port}`;
        const dist = join(folder, 'dist');
        await buildPlugin(
          baseUrl,
          dist,
          hosts.find((host) => host.app === app),
        );
        const times = Object.fromEntries(ways.map((way) => [way, []])) as unknown as Record<
          Way,
          Times[]
        >;
        try {
          for (let round = 0; round < options.rounds; round += 1) {
            for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
              const own = join(folder, 'run');
              const task = { ...more, way, dist, folder: own, baseUrl, accessToken };
              const { process: one, ...found } = await forked<object>(script, way, task);
              times[way].push(found as Times);
              processes.push(one);
              console.log(`${line}: ${way} ${JSON.stringify(found)}`);
              await rm(own, { recursive: true, force: true });
            }
          }
        } finally {
          await proxy.close();
        }
        measured.push({ line, times });
      }
      return { measured, processes };
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
