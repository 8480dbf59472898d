import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { startFlood, type Flood } from '../support/flood.js';
import { press, usePlugins } from './fixture.js';

/** The built bundle in the simulated host, against a service that means it ill. */
describe('the plugin in the simulated host', () => {
  let flood: Flood;
  const plugins = usePlugins(() => flood.origin);

  beforeEach(async () => {
    flood = await startFlood(200_000_000);
  });
  afterEach(() => flood.close());

  it.each(['8.4.0', '9.2.0'])(
    'aborts an unannounced response of 200 MB with an error (UXP %s)',
    async (uxpVersion) => {
      const plugin = await plugins.open(uxpVersion, { uxpVersion });
      await press(plugin, 'Connect');
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
