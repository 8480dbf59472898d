/**
 * Runs the tests of uploads on real S3-compatible storage: `npm run test:all -- s3 [jest options]`.
 *
 * It starts OpenStack Swift in a temporary folder, from Debian's packages, which it unpacks into a folder that is kept
 * and installs nowhere. Where that cannot be done it reports that, and fails only if REQUIRE_S3 is set.
 */
import { IS_LONG } from '../../support/long-runs.js';
import { runJest, tellNotRun } from '../support/run-jest.js';
import { findSwift, startSwift } from './swift.js';
import type { TemporarySwift } from './swift.js';

/** Suites that store, read or delete bytes. Permissions are decided before storage is used, and are tested without it. */
const SUITES = [
  's3/',
  'app/restart\\.',
  'library/photos/(purge|s3-range|picture|page-picture)\\.',
  'library/uploads/(finalize|repr-digest|tus-protocol)\\.',
  'library/uploads/storage/deleted-files\\.',
  'library/previews/sent-posters\\.',
];

/** The long form adds more of the requests that use stored bytes. */
const FURTHER = [
  'attacks/(operation|revoked-while-uploading|upload-addresses)\\.',
  'library/photos/(download|downloads-end|several|zip-of-many)\\.',
  'library/uploads/uploads\\.',
  'kernel/http/head-of-finished\\.',
];

const swift = await start();
if (typeof swift === 'string')
  tellNotRun(
    'S3-COMPATIBLE STORAGE',
    swift,
    'Debian has what they need (swift-proxy, swift-account, swift-container, swift-object, memcached); see docs/deployment.md for another server',
    process.env['REQUIRE_S3'] !== undefined,
  );
process.exit(await testOn(swift));

async function testOn(server: TemporarySwift): Promise<number> {
  const wanted = process.argv.slice(2);
  try {
    const suites = [...SUITES, ...(IS_LONG ? FURTHER : [])].map((name) => `test/service/${name}`);
    return runJest(wanted.length > 0 ? wanted : suites, {
      TEST_S3_ENDPOINT: server.endpoint,
      TEST_S3_ACCESS_KEY_ID: server.accessKeyId,
      TEST_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    });
  } finally {
    await server.stop();
  }
}

async function start(): Promise<TemporarySwift | string> {
  const root = await findSwift();
  if (root === undefined) return 'the packages of OpenStack Swift could not be had.';
  try {
    return await startSwift(root);
  } catch (error) {
    return error instanceof Error ? error.message : 'it did not start.';
  }
}
