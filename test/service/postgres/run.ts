/**
 * Runs the tests of the service on a real PostgreSQL: `npm run test:all -- postgres [jest options]`.
 *
 * It starts PostgreSQL in a temporary folder, and installs it before from Debian's packages where it
 * is missing and may be. Where that cannot be done it reports that, and fails only if REQUIRE_POSTGRES is set.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { debianPython, installDebian } from '../support/debian.js';
import { PLAIN_CLIENTS } from '../support/plain-clients.js';
import { runJest, tellNotRun } from '../support/run-jest.js';
import { findPostgres, startPostgres, WITHOUT_FLUSHES } from './server.js';
import type { TemporaryPostgres } from './server.js';

const ROOT = join(import.meta.dirname, '../../..');

/** The module that opens a database for a test; tests without this import need none. */
const OPENS_DATABASES = 'test/service/support/database-templates.ts';

/**
 * Tests whose result does not depend on the kind of database: of pages, of HTTP, of stored bytes (s3/run.ts), and of what one
 * user does after the other. The fuzzer and `attacks/other-workspaces` still send each request of the service here.
 */
const ELSEWHERE = [
  '/test/(?!service/)',
  'service/(app|s3)',
  'service/auth/(notices|password-check|sign-in-work)',
  'service/oauth/(account-choice|bearer|credentials|independent-clients|introspection|pages|platform-clients|step-up-consent)',
  'service/platform/(database/in-process|http|i18n|metrics|rate-limit/rejection-cache|tls)',
  'service/features/(account-api|activity|answers|company|content|devices|logos|previews|projects|receipts|security|settings)',
  'service/features/people/(account|invitations-misused|mail)',
  'service/features/photos/(api|change-api|details|download|mixed-choice|pages|picture|preview|purge|s3|several)',
  'service/features/photos/(upload-list|viewing|zip)',
  'service/features/shares/(change-share|chosen-photos|guest-answers|location|share-ends|share-passwords|web-copies)',
  'service/features/uploads/(another-account|browser-uploads|finalize|repr-digest|storage|tus-protocol|uploads\\.)',
  'service/features/webhooks/webhooks\\.',
  'service/attacks/(another-account|client-auth|data-folder|growth|malformed|misleading|open-redirect)',
  'service/attacks/(operation|other-apps|phishing|pressure|request-|revoked|slow-requests|start-up|stored-codes|unavailable)',
  'service/attacks/(upload-(addresses|list)|workspace-apps)',
].join('|');

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
    return runJest(wanted.length > 0 ? wanted : testsWithDatabase(), {
      TEST_DATABASE_URL: server.url,
      PLATFORM_CLIENTS: PLAIN_CLIENTS,
      ...pythons,
    });
  } finally {
    await server.stop();
  }
}

/** Jest's arguments for all tests of the service that have a database. */
function testsWithDatabase(): string[] {
  // Jest takes the name of a file that is gone as one that nothing imports.
  statSync(join(ROOT, OPENS_DATABASES));
  const own = readdirSync(import.meta.dirname).map((name) => `test/service/postgres/${name}`);
  return ['--findRelatedTests', OPENS_DATABASES, ...own, `--testPathIgnorePatterns=${ELSEWHERE}`];
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
