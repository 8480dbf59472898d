import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { openPlugin, type Plugin } from '../host/host.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { startFlood, type Flood } from '../support/flood.js';

/** The built bundle in the simulated host, against a service that means it ill. */
describe('the plugin in the simulated host', () => {
  let folder: string;
  let flood: Flood;
  let plugin: Plugin | null = null;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    flood = await startFlood(200_000_000);
    await buildPlugin(flood.origin, join(folder, 'dist'));
  });

  afterEach(async () => {
    plugin?.kill();
    await flood.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['8.4.0', '9.2.0'])(
    'aborts an unannounced response of 200 MB with an error (UXP %s)',
    async (uxpVersion) => {
      plugin = await openPlugin({
        dist: join(folder, 'dist'),
        storageDir: join(folder, 'storage'),
        uxpVersion,
        allowLoopbackHttp: true,
      });
      await plugin.waitFor('Connect once.');
      plugin.click('Connect');
      await flood.over;
      // The plugin tries again with growing waits before it gives up.
      plugin.hurry(50);
      await plugin.waitFor('CW-304');
      // The host reports only the first part; bytes until the plugin's next check are accepted.
      expect(flood.sent).toBeLessThan(120_000_000);
      expect(plugin.uncaught).toEqual([]);
    },
  );
});
