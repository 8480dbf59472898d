import { expect, it } from '@jest/globals';

import { useService } from '../service/support/use-service.js';
import { writeFiles } from './files.js';
import { addPhotos, connect, press, usePlugins } from './fixture.js';

const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
const plugins = usePlugins(() => service.baseUrl);

it('prompts about duplicates, in the strict host against the real service', async () => {
  const panel = await plugins.open('storage', { uxpVersion: '9.2.0' });
  await connect(panel, service);
  const files = await writeFiles(plugins.folder, { 'a.jpg': 600_000, 'b.jpg': 20_000 });
  const paths = files.map(({ path }) => path);
  await addPhotos(panel, ...paths);
  await panel.waitFor('2 files uploaded');
  await press(panel, 'List options');
  await press(panel, 'Clear uploaded');
  await addPhotos(panel, ...paths);
  await panel.waitFor('2 files are already uploaded');
  await press(panel, 'Skip');
  await panel.waitFor('2 files removed');
  await press(panel, '2 earlier uploads');
  await panel.waitFor('Copy list');
  expect(panel.text()).toMatch(/a\.jpg[^]*Demo Studio/);
  expect([panel.uncaught, panel.console]).toEqual([[], []]);
});
