import jest from './jest.config.js';

// Mutation tests of single files of src: npx stryker run --mutate src/features/import/file-type-check.ts

/**
 * These build the plugin, for which the check of the bundle refuses what Stryker adds to the sources, or start a service,
 * which takes minutes for each mutant.
 */
const LEFT_OUT = '/test/(build|crash|docs|e2e|flows|host-ports|preview|service)/';

const projects = jest.projects.map((project) => ({
  ...project,
  testPathIgnorePatterns: [...(project.testPathIgnorePatterns ?? []), LEFT_OUT],
}));

export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  testRunnerNodeArgs: ['--experimental-vm-modules'],
  // Jest's ES modules have globals of their own, in which Stryker cannot count.
  coverageAnalysis: 'off',
  jest: { projectType: 'custom', config: { ...jest, projects }, enableFindRelatedTests: true },
  reporters: ['clear-text', 'html'],
  htmlReporter: { fileName: 'coverage/mutation.html' },
  ignorePatterns: ['.cache', 'bench/results', 'data', 'dist', 'dist-service', 'ccx', 'coverage'],
  tempDirName: '.cache/stryker',
  concurrency: 2,
  dryRunTimeoutMinutes: 20,
};
