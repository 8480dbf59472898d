import { expect, it } from '@jest/globals';

import { useService } from '../service/support/use-service.js';
import { writeFiles } from './files.js';
import { addPhotos, allow, connect, press, usePlugins } from './fixture.js';

const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
const plugins = usePlugins(() => service.baseUrl);

it('browses the files of the workspace in the strict host, with a permission for each step', async () => {
  const panel = await plugins.open('storage', { uxpVersion: '9.2.0' });
  await connect(panel, service);
  const files = await writeFiles(plugins.folder, { 'harbour.jpg': 9_000, 'coast.jpg': 7_000 });
  await addPhotos(panel, ...files.map(({ path }) => path));
  await panel.waitFor('2 files uploaded');

  await press(panel, 'Browse files');
  await panel.waitFor('To see your files here, allow it once in the browser.');
  await press(panel, 'Open browser');
  await allow(panel, service);
  await panel.waitFor(/harbour\.jpg/);
  expect(panel.text()).toContain('coast.jpg');
  panel.type('sp-textfield', 'harb');
  await panel.waitFor(() => !panel.text().includes('coast.jpg'));

  const tile = panel.root.querySelector('.tile');
  panel.click('harbour.jpg');
  await panel.waitFor(() => panel.labels().includes('Details'));
  expect(tile?.isConnected).toBe(true);
  panel.click('Details');
  await panel.waitFor(/Version\s+v1/);
  expect(panel.text()).toMatch(/Size\s+9 kB/);
  await press(panel, 'Back');
  await press(panel, 'My files');
  await press(panel, 'Everyone’s files');
  await panel.waitFor('To see files of others, allow it once in the browser.');
  await press(panel, 'Open browser');
  await allow(panel, service);
  await panel.waitFor(/coast\.jpg/);
  expect(panel.labels()).toContain('Everyone’s files');
  await press(panel, 'Done');
  await panel.waitFor('Browse files');
  expect([panel.uncaught, panel.findings, panel.console]).toEqual([[], [], []]);
});
