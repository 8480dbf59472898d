/**
 * Ends the process when its job takes too much memory or processor time. `watchdog.ts` starts this thread. A thread runs
 * even while the code of the job loops. This is JavaScript because tsx does not compile the programs of threads.
 */
import { workerData } from 'node:worker_threads';

/** See `watchdog.ts`. */
const { jobs } = workerData;

/**
 * How often memory and processor time are checked, in milliseconds. A check costs up to 0.1 ms of processor. Between two of them a
 * process takes some tens of megabytes at most.
 */
const CHECK_INTERVAL_MS = 10;

let job = 0;
let before = process.cpuUsage();
for (;;) {
  const current = Atomics.load(jobs, 0);
  if (current !== job) {
    job = current;
    before = process.cpuUsage();
  }
  if (job % 2 === 0) {
    // No job runs.
    Atomics.wait(jobs, 0, job);
  } else {
    const { user, system } = process.cpuUsage(before);
    const [processorMs, memoryKib] = [Atomics.load(jobs, 1), Atomics.load(jobs, 2)];
    if (process.memoryUsage.rss() / 1024 > memoryKib || (user + system) / 1000 > processorMs) {
      process.kill(process.pid, 'SIGKILL');
    }
    Atomics.wait(jobs, 0, job, CHECK_INTERVAL_MS);
  }
}
