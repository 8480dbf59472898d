import { spawnSync } from 'node:child_process';
import { FOR_A_MOMENT } from '../../support/compiled.js';

/** Runs Jest with these arguments, and more variables in its environment; returns its exit status. */
export function runJest(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): number {
  const jest = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings=ExperimentalWarning',
      ...FOR_A_MOMENT,
      'node_modules/jest/bin/jest.js',
      ...args,
    ],
    { stdio: 'inherit', env: { ...process.env, ...environment } },
  );
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
