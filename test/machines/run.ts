/**
 * Several processes of the service on a real PostgreSQL and S3-compatible storage, and many plugins, while all that
 * serves them is killed and restarted: `npm run test:all -- machines`.
 *
 * `TEST_SECONDS` (120) is for how long, `TEST_DEVICES` (60) for how many, `TEST_PROCESSES` (2) on how many processes;
 * `TEST_SEED` repeats the choices of a run. Where PostgreSQL or Swift cannot be had it reports that, and fails only if
 * REQUIRE_POSTGRES or REQUIRE_S3 is set.
 */
import { installDebian } from '../service/support/debian.js';
import { findPostgres, startPostgres, WITHOUT_FLUSHES } from '../service/postgres/server.js';
import { tellNotRun } from '../service/support/run-jest.js';
import { findSwift, startSwift } from '../service/s3/swift.js';
import { testS3 } from '../service/support/test-storage.js';
import { testSeed } from '../support/seeded-random.js';
import { MachinesRun, type MachinesReport } from './machines-run.js';

const programs =
  (await findPostgres()) ?? (installDebian('postgresql') ? await findPostgres() : undefined);
const root = await findSwift();
if (programs === undefined || root === undefined)
  tellNotRun(
    'SEVERAL MACHINES',
    'PostgreSQL or OpenStack Swift could not be had.',
    'Debian has both; see docs/deployment.md',
    process.env['REQUIRE_POSTGRES'] !== undefined || process.env['REQUIRE_S3'] !== undefined,
  );
const seed = testSeed();
const seconds = Number(process.env['TEST_SECONDS'] ?? 120);
const devices = Number(process.env['TEST_DEVICES'] ?? 60);
const processes = Number(process.env['TEST_PROCESSES'] ?? 2);
console.log(`${devices} devices, ${processes} processes, ${seconds} s, TEST_SEED=${seed}`);
const [database, storage] = await Promise.all([
  startPostgres(programs, WITHOUT_FLUSHES),
  startSwift(root),
]);
process.env['TEST_S3_ENDPOINT'] = storage.endpoint;
process.env['TEST_S3_ACCESS_KEY_ID'] = storage.accessKeyId;
process.env['TEST_S3_SECRET_ACCESS_KEY'] = storage.secretAccessKey;
const s3 = await testS3();
if (s3 === undefined) throw new Error('there is no bucket');
const run = new MachinesRun({ database, storage, s3, seed, seconds, devices, processes, log });
let report: MachinesReport | undefined;
try {
  report = await run.go();
} finally {
  await run.dispose();
  await storage.stop();
  await database.stop();
}
print('What happened', Object.entries(report.counts));
print('Answers (502*: the balancer found no machine)', [...report.answers].sort());
print('Errors that the service logged', [...report.errors]);
for (const one of report.wrong) console.error(`WRONG: ${one}`);
console.log(
  report.wrong.length === 0
    ? 'Every photo arrived exactly once, byte for byte; no session ended; nothing is left behind.'
    : `${report.wrong.length} things are wrong; TEST_SEED=${seed}`,
);
process.exit(report.wrong.length === 0 ? 0 : 1);

function log(line: string): void {
  console.log(line);
}

function print(title: string, rows: readonly (readonly [string, number])[]): void {
  console.log(`\n${title}`);
  for (const [what, count] of rows) console.log(`${String(count).padStart(8)}  ${what}`);
}
