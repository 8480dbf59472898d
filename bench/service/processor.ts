import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface Times {
  readonly parent: number;
  /** Of the process itself, and of its children that have ended, in ticks. */
  readonly ticks: number;
}

/**
 * Milliseconds of processor time that a process and its children have used so far: those that run, and those that
 * have ended. Reads /proc, so on Linux only.
 */
export async function processorMs(processId: number): Promise<number> {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => ({ id: Number(name), times: await timesOf(name) })),
  );
  const own = all.filter(({ id, times }) => id === processId || times?.parent === processId);
  return (own.reduce((sum, { times }) => sum + (times?.ticks ?? 0), 0) * 1000) / TICKS_PER_SECOND;
}

/** The process may end while its file is read. */
async function timesOf(processId: string): Promise<Times | undefined> {
  const text = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => '');
  // The second field is a name in parentheses, which may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [, parent] = fields;
  return parent === undefined
    ? undefined
    : {
        parent: Number(parent),
        ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
      };
}
