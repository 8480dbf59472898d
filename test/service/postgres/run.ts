/**
 * Runs the tests of the service on a real PostgreSQL: `npm run test:all -- postgres [jest options]`.
 *
 * It starts PostgreSQL in a temporary folder, and installs it before from Debian's packages where it
 * is missing and may be. Where that cannot be done it reports that, and fails only if REQUIRE_POSTGRES is set.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { debianPython, installDebian } from '../support/debian.js';
import { IS_LONG } from '../../support/long-runs.js';
import { PLAIN_CLIENTS } from '../support/plain-clients.js';
import { runJest, tellNotRun } from '../support/run-jest.js';
import { findPostgres, startPostgres, WITHOUT_FLUSHES } from './server.js';
import type { TemporaryPostgres } from './server.js';

const ROOT = join(import.meta.dirname, '../../..');

/** The module that opens a database for a test; tests without this import need none. */
const OPENS_DATABASES = 'test/service/support/database-templates.ts';

/** Suites in which requests meet in the database, or a client in another language is used. The long form runs all suites. */
const SUITES = [
  'attacks/(double-submit|racing-decisions|upload-quota)\\.',
  'workspace/members/racing-removal\\.',
  'delivery/shares/(guest-feedback|guests)\\.',
  'delivery/digests/digests\\.',
  'library/previews/sent-posters\\.',
  'library/uploads/(shared-upload-locks|tus-clients|upload-cleanup|upload-repository|version-rule)\\.',
  'oauth/(authlib|device-flow|refresh-attempt|sessions|tokens|undelivered-tokens|used-refresh-tokens)\\.',
  'kernel/(database/(?!in-process|page-growth|query-plans|.+-in-between)|rate-limit/limits\\.)',
].map((name) => `test/service/${name}`);

/** Tests of the plugin, and suites that choose their database or storage themselves. */
const WITHOUT_SERVER =
  '/test/(?!service/)|service/(app/(?!delete-account)|s3/)|database/in-process';

const postgres = await start();
if (typeof postgres === 'string')
  tellNotRun(
    'POSTGRESQL',
    postgres,
    'Install PostgreSQL (Debian: apt-get install postgresql) and run: npm run test:all -- postgres',
    process.env['REQUIRE_POSTGRES'] !== undefined,
  );
const authlib = debianPython('authlib', 'python3-authlib', 'python3-requests');
const tuspy = debianPython('tusclient', 'python3-tuspy');
process.exit(
  await testOn(postgres, {
    ...(authlib !== undefined && { TEST_AUTHLIB_PYTHON: authlib }),
    ...(tuspy !== undefined && { TEST_TUSPY_PYTHON: tuspy }),
  }),
);

async function testOn(
  server: TemporaryPostgres,
  pythons: Readonly<Record<string, string>>,
): Promise<number> {
  const wanted = process.argv.slice(2);
  try {
    return runJest(wanted.length > 0 ? wanted : suites(), {
      TEST_DATABASE_URL: server.url,
      PLATFORM_CLIENTS: PLAIN_CLIENTS,
      ...pythons,
    });
  } finally {
    await server.stop();
  }
}

/** Jest's arguments. */
function suites(): string[] {
  const own = readdirSync(import.meta.dirname).map((name) => `test/service/postgres/${name}`);
  if (!IS_LONG) {
    return [...own, ...SUITES];
  }
  // Jest takes the name of a file that is gone as one that nothing imports.
  statSync(join(ROOT, OPENS_DATABASES));
  const ignored = `--testPathIgnorePatterns=${WITHOUT_SERVER}`;
  return ['--findRelatedTests', OPENS_DATABASES, ...own, ignored];
}

async function start(): Promise<TemporaryPostgres | string> {
  const programs =
    (await findPostgres()) ?? (installDebian('postgresql') ? await findPostgres() : undefined);
  if (programs === undefined) return 'PostgreSQL is not installed and could not be installed.';
  try {
    return await startPostgres(programs, WITHOUT_FLUSHES);
  } catch (error) {
    return error instanceof Error ? error.message : 'it did not start.';
  }
}
