import { describe, expect, it } from '@jest/globals';

import { useService } from '../service/support/use-service.js';
import { COAST, connect, guestAtNewest, press, usePlugins } from './fixture.js';

/** Premiere reports no changes, so its presets cannot require an approval. */
const APPS = [
  { app: 'PS', preset: 'Print', row: 'PrintJPEG' },
  { app: 'ID', preset: 'PDF', row: 'PDFPDF' },
] as const;

/** The built plugin in the simulated host, the real service, and a guest in a browser without scripts. */
describe('a preset that requires an approval', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);

  it.each(APPS)(
    'uploads what the client approved, and nothing that changed since: $app',
    async ({ app, preset, row }) => {
      const panel = await plugins.open(app, { host: { app } });
      const uploads = (): Promise<object[]> => service.database.query('SELECT id FROM uploads');

      COAST[app].open(panel.control);
      await connect(panel, service);
      await press(panel, 'Upload this document');
      await panel.waitFor('1 file uploaded');
      const before = await uploads();

      await press(panel, preset);
      await press(panel, 'Edit presets…');
      await press(panel, row);
      await press(panel, /^Only what the client/);
      await panel.waitFor(/Selected\s*Only what the client/);
      await press(panel, 'Save');
      await panel.waitFor('if approved');
      await press(panel, 'Done');

      await press(panel, 'Upload this document');
      await panel.waitFor('CW-820');
      await press(panel, 'Dismiss');
      await panel.waitFor(() => !panel.root.textContent.includes('CW-820'));

      const { guest } = await guestAtNewest(service);
      await guest.submit('Approve');
      await guest.submit('Continue', { name: 'Mia' });
      await press(panel, 'Upload this document');
      // The simulated app writes the same bytes again.
      await panel.waitFor('Already uploaded');

      COAST[app].edit(panel.control);
      await press(panel, 'Upload this document');
      await panel.waitFor('CW-820');
      expect(panel.root.textContent).toContain('The client has not approved this as it is now');
      expect(await uploads()).toHaveLength(before.length);
      expect(panel.uncaught).toEqual([]);
    },
  );
});
