import Sequencer from '@jest/test-sequencer';

/** Files that take longest, the longest first. The list need not be complete: it only keeps the last worker from being late. */
const SLOWEST = [
  'test/e2e/every-button.test.ts',
  'test/crash/power-loss/power-loss.test.ts',
  'test/flows/main-job-in-simulated-host.test.ts',
  'test/e2e/pages.test.ts',
  'test/e2e/settings-pages.test.ts',
  'test/e2e/gallery.test.ts',
  'test/e2e/viewer.test.ts',
  'test/e2e/selection.test.ts',
  'test/build/webpack.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/panel-states.test.ts',
  'test/crash/crash.test.ts',
  'test/service/app/cli.test.ts',
  'test/service/features/previews/camera-files.test.ts',
  'test/service/features/previews/image-worker.test.ts',
  'test/build/package.test.ts',
  'test/service/attacks/lock-out.test.ts',
  'test/service/attacks/slow-requests.test.ts',
  'test/service/features/uploads/known-uploads.test.ts',
  'test/service/app/admin.test.ts',
  'test/service/attacks/revoked-while-uploading.test.ts',
  'test/flows/service-away.test.ts',
  'test/service/attacks/guessing.test.ts',
  'test/uploads/tus/resume.test.ts',
  'test/service/features/uploads/repr-digest.test.ts',
  'test/uploads/tus/tus-upload-service.test.ts',
  'test/service/platform/tls/tls.test.ts',
  'test/service/attacks/start-up.test.ts',
  'test/e2e/stored-files.test.ts',
  'test/service/features/photos/download.test.ts',
  'test/service/platform/database/broken-in-between.test.ts',
  'test/service/platform/http/head-of-finished.test.ts',
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
