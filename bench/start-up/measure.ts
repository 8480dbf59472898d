/** Opens a built panel in the simulated host once, in a separate process, and prints the times as JSON. */
import { performance } from 'node:perf_hooks';

import { openPlugin } from '../../test/host/host.js';
import { measuredProcess, type MeasuredProcess } from '../measured-process.js';

export interface StartUpTimes {
  /** Milliseconds that the panel's script ran when it was loaded. */
  readonly evaluationMs: number;
  /** From the script's first line to the first words in the panel. */
  readonly paintedMs: number;
  /** To the first view in which something can be done, or the first photos; null when nothing is awaited. */
  readonly viewMs: number | null;
  readonly process: MeasuredProcess;
}

const [dist = '', storageDir = '', awaits = ''] = process.argv.slice(2);

let started = 0;
let evaluated = 0;
const plugin = await openPlugin({
  dist,
  storageDir,
  allowLoopbackHttp: true,
  prepare: (control) => {
    const startupOver = control.entrypoints.startupOver.bind(control.entrypoints);
    control.entrypoints.startupOver = () => {
      evaluated = performance.now();
      startupOver();
    };
    started = performance.now();
  },
});
const { root } = plugin;
await until(() => root.textContent.trim() !== '');
const painted = performance.now();
let viewed: number | null = null;
if (awaits !== '') {
  await until(() => root.querySelector(awaits) !== null);
  viewed = performance.now();
}
const times: StartUpTimes = {
  evaluationMs: evaluated - started,
  paintedMs: painted - started,
  viewMs: viewed === null ? null : viewed - started,
  process: measuredProcess('panel', process.pid),
};
process.stdout.write(`${JSON.stringify({ ...times, uncaught: plugin.uncaught.map(String) })}\n`);
process.exit();

async function until(isThere: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!isThere()) {
    if (performance.now() > deadline) {
      throw new Error(`nothing came; uncaught: ${plugin.uncaught.map(String).join(' | ')}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
