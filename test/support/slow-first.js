import Sequencer from '@jest/test-sequencer';

/** Files that take longest, the longest first. The list need not be complete: it only keeps the last worker from being late. */
const SLOWEST = [
  'test/e2e/every-button.test.ts',
  'test/crash/power-loss/power-loss.test.ts',
  'test/e2e/pages.test.ts',
  'test/e2e/settings-pages.test.ts',
  'test/e2e/gallery.test.ts',
  'test/service/identity/pages/mail.test.ts',
  'test/e2e/viewer.test.ts',
  'test/e2e/selection.test.ts',
  'test/flows/main-job-in-simulated-host.test.ts',
  'test/service/app/admin.test.ts',
  'test/e2e/main-job.test.ts',
  'test/service/delivery/shares/shares.test.ts',
  'test/service/library/photos/bulk-actions.test.ts',
  'test/service/identity/pages/account.test.ts',
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
