import Sequencer from '@jest/test-sequencer';

/** Files that take longest, the longest first. The list need not be complete: it only keeps the last worker from being late. */
const SLOWEST = [
  'test/e2e/panel-states.test.ts',
  'test/e2e/pages.test.ts',
  'test/flows/main-job-in-simulated-host.test.ts',
  'test/e2e/every-button.test.ts',
  'test/build/webpack.test.ts',
  'test/service/cli.test.ts',
  'test/service/attacks/lock-out.test.ts',
  'test/service/attacks/slow-requests.test.ts',
  'test/service/refresh-attempt.test.ts',
  'test/flows/service-away.test.ts',
  'test/flows/another-account.test.ts',
  'test/e2e/start.test.ts',
  'test/service/admin.test.ts',
  'test/crash/crash.test.ts',
];

/** Slow files first, also where Jest has not seen them run: a fresh checkout. */
export default class SlowFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const rank = ({ path }) => {
      const at = SLOWEST.findIndex((name) => path.replaceAll('\\', '/').endsWith(`/${name}`));
      return at < 0 ? SLOWEST.length : at;
    };
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
