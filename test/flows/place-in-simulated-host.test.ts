import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

import { useService } from '../service/support/use-service.js';
import { writeFiles } from './files.js';
import { addPhotos, allow, connect, pick, press, usePlugins } from './fixture.js';

const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
const plugins = usePlugins(() => service.baseUrl);

it('places an original of the workspace in Photoshop, byte for byte, in the strict host', async () => {
  const panel = await plugins.open('storage', { uxpVersion: '9.2.0' });
  const { photoshop } = panel.control;
  photoshop.placesFiles = true;
  photoshop.openDocument({ name: 'Poster.psd', documentId: 'xmp.did:1', bytes: {} });
  await connect(panel, service);
  // More than one range.
  const [file] = await writeFiles(plugins.folder, { 'harbour.jpg': 2_500_000 });
  await addPhotos(panel, file?.path ?? '');
  await panel.waitFor('1 file uploaded');

  await press(panel, 'Browse files');
  await panel.waitFor('To see your files here, allow it once in the browser.');
  await press(panel, 'Open browser');
  await allow(panel, service);
  await press(panel, 'harbour.jpg');
  await press(panel, 'Place');
  await panel.waitFor('To place files, allow it once in the browser.');
  await press(panel, 'Open browser');
  await allow(panel, service);
  const pictures = join(plugins.folder, 'Pictures');
  await mkdir(pictures);
  await press(panel, 'harbour.jpg');
  await press(panel, 'Place');
  await pick(panel, pictures);
  await panel.waitFor(() => photoshop.historyNames().length > 0);
  expect(photoshop.historyNames()).toEqual(['Place harbour.jpg']);
  const placed = await readFile(join(pictures, 'harbour.jpg'));
  expect(placed.equals(await readFile(file?.path ?? ''))).toBe(true);
  expect(photoshop.content().xmp).toContain(service.baseUrl);
  // The list of placed files has it at once.
  await press(panel, 'Done');
  await panel.waitFor('1 placed file');

  await press(panel, 'Browse files');
  await press(panel, 'harbour.jpg');
  await press(panel, 'Details');
  await press(panel, 'Open as a document');
  await panel.waitFor(() => photoshop.state().documents.length > 1);
  expect(photoshop.state().active).toBe('harbour.jpg');
  expect(await readdir(pictures)).toEqual(['harbour.jpg']);
  expect([panel.uncaught, panel.findings]).toEqual([[], []]);
});
