/**
 * Looks at pictures in a process of its own, which `looker.ts` starts and kills: a file may be made to break its
 * reader. The process gets one file at a time (`LookOrder`) and answers with what it found (`Said`). Its argument is
 * how much processor time it may take for one file, in milliseconds.
 * @packageDocumentation
 */
import { setPriority } from 'node:os';
import { lookAt, tame, type Sharp } from './look-at.js';
import type { Look, LookOrder, Said } from './look.js';

/** Lower priority than the service: uploads and pages go first. */
const NICENESS = 10;

/** The most memory that this process may use, in bytes. */
const MAX_MEMORY_BYTES = 170e6;
const MAX_PROCESSOR_MS = Number(process.argv[2]);
/** How often the process checks its own memory and processor time, in milliseconds. */
const LOOK_EVERY_MS = 2;

function say(said: Said): void {
  process.send?.(said);
}

/** Ends the process at once. An orderly end would wait for the other threads. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Ends the process when it takes too much. Decoding runs in other threads, so timers still run meanwhile. */
function watchMyself(): NodeJS.Timeout {
  const before = process.cpuUsage();
  return setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if (process.memoryUsage.rss() > MAX_MEMORY_BYTES || (user + system) / 1000 > MAX_PROCESSOR_MS) {
      end();
    }
  }, LOOK_EVERY_MS);
}

async function answer(library: Sharp, order: LookOrder): Promise<void> {
  const watch = watchMyself();
  const look: Look = await lookAt(library, order).catch(() => ({}));
  clearInterval(watch);
  say({ said: 'looked', look });
}

process.on('disconnect', end);
try {
  setPriority(NICENESS);
} catch {
  // If that is not allowed, the process keeps the normal priority.
}
const library = await import('sharp').then(
  (module) => module.default,
  () => undefined,
);
if (library === undefined) {
  say({ said: 'no library' });
} else {
  tame(library);
  process.on('message', (order) => {
    void answer(library, order as LookOrder);
  });
  say({ said: 'ready' });
}
