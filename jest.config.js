import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// One runner, one project per kind of test. Everything is an ES module (see the `jest` script).

/** @type {import('jest').Config} */
const common = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['<rootDir>/test/support/quiet-provider.ts'],
  transform: { '^.+\\.tsx?$': '<rootDir>/test/support/transform.js' },
  restoreMocks: true,
  // Copies of the project that Stryker works on.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
};

/**
 * What a process that runs tests loads once (test/support/worker-cache.ts): the service's sources, and libraries that
 * tests have in common with it. The scripts of pages are bundled there, so tests import their sources.
 */
const KEPT_SOURCES = 'service/(?!client/).+\\.ts';
const KEPT_LIBRARIES =
  'node_modules/(pg/lib|oidc-provider/lib|@electric-sql/pglite/dist|@aws-sdk/client-s3/dist-cjs)/index\\.js';
const kept = {
  transform: {
    [`^${escaped(import.meta.dirname)}/(${KEPT_SOURCES}|${KEPT_LIBRARIES})$`]:
      '<rootDir>/test/support/kept-transform.js',
    ...common.transform,
  },
  transformIgnorePatterns: [`^(?!.*/${KEPT_LIBRARIES}$).*/node_modules/`],
};

/** Tests that give the service timers or modules of their own, so that they load it, or a library, for themselves. */
const ISOLATED = [
  'flows/short-lived-tokens',
  // The library takes no settings from another realm.
  'oauth/independent-server',
  'service/identity/company/company-sign-in',
  'service/client/space-wait',
  'service/kernel/database/in-process',
  'service/oauth/finished-interactions',
  'service/library/uploads/storage/s3-errors',
  'service/library/uploads/shared-upload-locks',
  'service/identity/sign-in-work',
  'service/library/previews/image-worker',
  'service/library/uploads/upload-body',
  'service/library/uploads/upload-locks',
].map((name) => `test/${name}.test.ts`);

/** Tests that need a server of someone else's; `npm run test:all -- postgres` (or the variable) brings it. */
const needServers = {
  '/test/service/postgres/': 'TEST_DATABASE_URL',
  '/test/service/oauth/authlib\\.': 'TEST_AUTHLIB_PYTHON',
  '/test/service/s3/': 'TEST_S3_ENDPOINT',
};
const isLong = Number(process.env.TEST_SCALE) > 1;
/** What plans PostgreSQL makes takes thousands of rows: it is left to `npm run test:all -- postgres` and to long runs. */
const isQuick = process.env.TEST_DATABASE_URL === undefined && !isLong;
/** Whether files were named: then all that match run. */
const areNamed = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
/** Suites, and folders of suites, that take long: `npm run test:all` runs them. */
const slow = JSON.parse(
  readFileSync(new URL('test/support/slow-suites.json', import.meta.url), 'utf8'),
);
const leftOut =
  isLong || areNamed ? [] : [...slow.deep, ...slow.weekly].map((path) => `/${escaped(path)}`);
const withoutServer = Object.entries(needServers)
  .filter(([, variable]) => process.env[variable] === undefined)
  .map(([pattern]) => pattern)
  .concat(isQuick ? '/test/service/kernel/database/(query-plans|page-growth)\\.' : [], leftOut);

/** The pattern of a path. */
function escaped(path) {
  return path.replaceAll(/[^\w/]/g, '\\$&');
}

/** @type {import('jest').Config} */
export default {
  // Far more than anything takes, so that no test fails because the machine has other work.
  testTimeout: 300_000 * Math.max(1, Number(process.env.TEST_SCALE ?? 1)),
  // One more than there are processors: some tests wait for sockets, files, browsers or other processes.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/test/support/slow-first.js',
  // Half a second, as Jest has it, is too little for a worker to end in while the machine has other work.
  workerGracefulExitTimeout: 20_000,
  // The tests of each file come in any order; `--seed=N` repeats the order that was printed.
  randomize: true,
  showSeed: true,
  projects: [
    {
      ...common,
      ...kept,
      displayName: 'unit',
      testEnvironment: '<rootDir>/test/support/environment.ts',
      testMatch: ['<rootDir>/test/**/*.test.ts', ...ISOLATED.map((path) => `!**/${path}`)],
      testPathIgnorePatterns: [
        '<rootDir>/test/panel/',
        '<rootDir>/test/features/\\w[^/]*/panel\\b',
        '<rootDir>/test/e2e/',
        ...withoutServer,
      ],
    },
    {
      ...common,
      displayName: 'isolated',
      testEnvironment: '<rootDir>/test/support/environment.ts',
      testEnvironmentOptions: { isolated: true },
      testMatch: ISOLATED.map((path) => `<rootDir>/${path}`),
      testPathIgnorePatterns: leftOut,
    },
    {
      ...common,
      displayName: 'panel',
      testEnvironment: 'jsdom',
      testMatch: [
        '<rootDir>/test/panel/**/*.test.ts',
        // The views of a feature.
        '<rootDir>/test/features/*/panel{,-*}.test.ts',
      ],
    },
    {
      ...common,
      ...kept,
      displayName: 'e2e',
      testEnvironment: '<rootDir>/test/support/environment.ts',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testPathIgnorePatterns: leftOut,
    },
  ],
};
