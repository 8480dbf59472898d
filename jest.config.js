// One runner, one project per kind of test. Everything is an ES module (see the `jest` script).

/** @type {import('jest').Config} */
const common = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.jest.json' }] },
  restoreMocks: true,
};

/** @type {import('jest').Config} */
export default {
  testTimeout: 60_000,
  // The default leaves one core idle, which on two cores is half of them.
  maxWorkers: '100%',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testEnvironment: 'node',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/panel/', '<rootDir>/test/e2e/'],
    },
    {
      ...common,
      displayName: 'panel',
      testEnvironment: 'jsdom',
      testMatch: ['<rootDir>/test/panel/**/*.test.ts'],
    },
    {
      ...common,
      displayName: 'e2e',
      testEnvironment: 'node',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
    },
  ],
};
