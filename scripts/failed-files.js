import { writeFileSync } from 'node:fs';

/** Writes the paths of the test files that failed, as JSON, to TEST_FAILED_FILES (see scripts/jest.js). */
export default class FailedFiles {
  onRunComplete(_contexts, { testResults, wasInterrupted }) {
    // What an interrupted run has not tried is unknown.
    const failed = wasInterrupted
      ? []
      : testResults.filter(
          ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError,
        );
    writeFileSync(
      process.env.TEST_FAILED_FILES,
      JSON.stringify(failed.map(({ testFilePath }) => testFilePath)),
    );
  }
}
