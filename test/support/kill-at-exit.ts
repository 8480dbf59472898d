import type { ChildProcess } from 'node:child_process';

const living = new Set<ChildProcess>();

function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

/** The child always ends with this process. One listener for all children. */
export function killAtExit(child: ChildProcess): void {
  if (living.size === 0) process.once('exit', killAll);
  living.add(child);
  child.once('close', () => {
    living.delete(child);
    if (living.size === 0) process.removeListener('exit', killAll);
  });
}
