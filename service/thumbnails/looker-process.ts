/**
 * Looks at pictures in a process of its own, which `looker.ts` starts and kills: a file may be made to break what reads
 * it. It gets a path at a time (`LookOrder`) and answers with what it found (`Said`). Its argument is how much of the
 * processor it may take for one, in milliseconds.
 * @packageDocumentation
 */
import { setPriority } from 'node:os';
import { lookAt, tame, type Sharp } from './look-at.js';
import type { Look, LookOrder, Said } from './look.js';

/** Uploads and pages go first. */
const NICENESS = 10;

/** The most memory of this process, in bytes. */
const MAX_MEMORY_BYTES = 170e6;
const MAX_PROCESSOR_MS = Number(process.argv[2]);
/** How often the process looks at what it takes, in milliseconds. */
const LOOK_EVERY_MS = 2;

function say(said: Said): void {
  process.send?.(said);
}

/** Ends at once, whatever other threads are in the middle of: an orderly end would wait for them. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Ends the process when it takes too much. Decoding goes on in other threads, so that timers run meanwhile. */
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
  // Where that is not allowed, it takes its share like all others.
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
