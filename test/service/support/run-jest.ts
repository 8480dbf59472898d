import { spawnSync } from 'node:child_process';

/** Runs Jest with these arguments, and more variables in its environment; returns its exit status. */
export function runJest(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): number {
  const jest = spawnSync(process.execPath, ['scripts/jest.js', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return jest.status ?? 1;
}

/** Prints a clear message that tests did not run, and ends the process. */
export function tellNotRun(what: string, why: string, remedy: string, isRequired: boolean): never {
  const line = '!'.repeat(78);
  process.stderr.write(
    `\n${line}\n!! THE TESTS ON ${what} DID NOT RUN: ${why}\n!! ${remedy}\n${line}\n\n`,
  );
  process.exit(isRequired ? 1 : 0);
}
