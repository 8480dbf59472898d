import { inspect } from 'node:util';
import type { Findings } from './findings.js';
import { HostRefusal } from './manifest.js';

/** Time an entry point gets, in milliseconds (manifest v5). */
const entryPointLimit = 300;

/** Calls an entry point method; it must return, and its promise settle, within the host's limit. */
export async function callEntryPoint(
  findings: Findings,
  name: string,
  method: unknown,
  args: readonly unknown[],
): Promise<void> {
  if (typeof method !== 'function') return;
  const late = (): HostRefusal => {
    findings.add('entrypoint', `${name} took longer than ${entryPointLimit} ms`);
    return new HostRefusal(`entry point ${name} took longer than ${entryPointLimit} ms`);
  };
  const started = performance.now();
  const cpu = process.cpuUsage();
  let result: unknown;
  try {
    result = (method as (...given: readonly unknown[]) => unknown)(...args);
  } catch (error) {
    throw new HostRefusal(`entry point ${name} failed: ${inspect(error)}`);
  }
  // The smaller of elapsed and computing time: a busy test machine is not the plugin's fault.
  const { user, system } = process.cpuUsage(cpu);
  if (Math.min(performance.now() - started, (user + system) / 1000) > entryPointLimit) throw late();
  if (typeof result !== 'object' || result === null || !('then' in result)) return;
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      Promise.resolve(result),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(late()), entryPointLimit);
      }),
    ]);
  } catch (error) {
    if (error instanceof HostRefusal) throw error;
    throw new HostRefusal(`entry point ${name} failed: ${inspect(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
