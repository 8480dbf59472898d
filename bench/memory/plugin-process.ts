/** Does one task with the plugin and reports its peak memory. */
import { setTimeout as delay } from 'node:timers/promises';
import { createUxpHost } from '../../src/host/uxp.js';
import { createPlugin, type Plugin } from '../../src/plugin.js';
import { createClient, SMALL_CONCURRENCY } from '../../src/config.js';
import { createHostModules } from '../../test/host/modules/index.js';
import { NodeXhr } from '../../test/support/node-xhr.js';
import { answersTask } from '../forked.js';
import { leaveSession } from '../signed-in-storage.js';
import type { MemoryReport, MemoryTask } from './messages.js';

const UXP = '8.4.0';
const LOOK_EVERY_MS = 5;
const COLLECT_EVERY_MS = 200;

answersTask(run);

async function run(task: MemoryTask): Promise<MemoryReport> {
  await leaveSession(task.storageDir, UXP, 'svc_at_1');
  const modules = createHostModules({ storageDir: task.storageDir, uxpVersion: UXP });
  const host = createUxpHost(modules, {
    createXhr: () => new NodeXhr(),
    writeClipboard: () => Promise.resolve(),
    listen: () => undefined,
  });
  const plugin = createPlugin(host, {
    client: createClient(`http://localhost:${task.port}`, 'plugin', 'uploads:write'),
    pluginVersion: '0.0.0',
    concurrency: 3,
    smallConcurrency: SMALL_CONCURRENCY,
    chunkBytes: 8 * 1024 * 1024,
  });
  // The start of the process itself does not count.
  collect();
  const peak = watch(task.collects);
  const started = performance.now();
  if (task.kind === 'queue') {
    plugin.uploads.pause();
  }
  await plugin.restore();
  switch (task.kind) {
    case 'idle':
      await delay(1_000);
      break;
    case 'file':
      modules.control.pickers.answer([task.file]);
      await plugin.panel.context.actions.addPhotos();
      await until(plugin, ({ uploaded }) => uploaded === 1);
      break;
    case 'queue':
      modules.control.pickers.answer(task.files);
      await plugin.panel.context.actions.addPhotos();
      await until(plugin, ({ waiting }) => waiting === task.files.length);
      await delay(500);
      break;
    case 'wait':
      // A restarted plugin is still paused.
      plugin.uploads.resume();
      await until(plugin, ({ uploaded }) => uploaded >= task.upload);
      plugin.uploads.pause();
      await delay(500);
      break;
  }
  return { ...peak(), seconds: (performance.now() - started) / 1000 };
}

/** Waits until the list has the wanted state. @throws Error when a photo failed or could not be queued */
function until(
  { panel: { state: stores } }: Plugin,
  isDone: (summary: ReturnType<Plugin['panel']['state']['summary']['get']>) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const summary = stores.summary.get();
      const { rejected: refused } = stores.uploadState.get();
      if (summary.failed > 0 || refused.length > 0) {
        reject(new Error('a photo failed', { cause: refused[0]?.error }));
      } else if (isDone(summary)) {
        resolve();
      } else {
        setTimeout(look, 10);
      }
    };
    look();
  });
}

/** Measures memory from now on and returns the peaks. */
function watch(collects: boolean): () => Pick<MemoryReport, 'residentBytes' | 'heldBytes'> {
  let residentBytes = 0;
  let heldBytes = 0;
  const look = (): void => {
    residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
  };
  const lookAtHeap = (): void => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    heldBytes = Math.max(heldBytes, heapUsed + external);
  };
  const timers = [setInterval(look, LOOK_EVERY_MS)];
  if (collects) {
    timers.push(setInterval(lookAtHeap, COLLECT_EVERY_MS));
  }
  return () => {
    for (const timer of timers) {
      clearInterval(timer);
    }
    look();
    lookAtHeap();
    return { residentBytes, heldBytes };
  };
}

function collect(): void {
  if (!globalThis.gc) {
    throw new Error('run with --expose-gc');
  }
  globalThis.gc();
}
