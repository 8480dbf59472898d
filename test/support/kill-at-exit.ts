import type { ChildProcess } from 'node:child_process';

const living = new Set<ChildProcess>();

function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

/** Whatever becomes of this process, the child does not stay behind. One listener for all, however many are started. */
export function killAtExit(child: ChildProcess): void {
  if (living.size === 0) process.once('exit', killAll);
  living.add(child);
  child.once('close', () => {
    living.delete(child);
    if (living.size === 0) process.removeListener('exit', killAll);
  });
}
