// Jest as `npm run mutation` (scripts/mutation.ts) uses it: one project, the tests it names, and no checks of types.
const environment = process.env['MUTATION_ENVIRONMENT'] ?? 'node';
const tests = JSON.parse(process.env['MUTATION_TESTS'] ?? '["test/**/*.test.ts"]');

/** @type {import('jest').Config} */
export default {
  testEnvironment: environment,
  testMatch: tests.map((pattern) => `<rootDir>/${pattern}`),
  // These need a server of someone else's, or take minutes.
  testPathIgnorePatterns: [
    '/test/oauth/fuzz\\.',
    '/test/service/postgres/',
    '/test/service/production/',
    '/test/service/attacks/fuzz/',
    '/test/service/authlib\\.',
    '/test/service/s3\\.',
  ],
  testTimeout: 180_000,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '<rootDir>/test/support/transform.js' },
  restoreMocks: true,
};
