/** `tsx build/check-host.js [DIR]`: checks a built folder (default dist) and fails when anything in it is undocumented. */
import { checkBundle, describe } from './host-check.js';

const problems = checkBundle({ distDir: process.argv[2] ?? 'dist' });
for (const problem of problems) console.error(describe(problem));
if (problems.length > 0) {
  console.error(`${problems.length} things are not documented for the oldest host this admits.`);
  process.exitCode = 1;
}
