import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { approveDevice } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { writeFiles } from './files.js';

let folder: string;
let service: TestService;
let plugin: Plugin | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'place-'));
  service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  await buildPlugin(service.baseUrl, join(folder, 'dist'));
});

afterAll(async () => {
  plugin?.kill();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

it('places an original of the workspace in Photoshop, byte for byte, in the strict host', async () => {
  const panel = await openPlugin({
    dist: join(folder, 'dist'),
    storageDir: join(folder, 'storage'),
    uxpVersion: '9.2.0',
    allowLoopbackHttp: true,
  });
  plugin = panel;
  const { photoshop, pickers } = panel.control;
  photoshop.placesFiles = true;
  photoshop.openDocument({ name: 'Poster.psd', documentId: 'xmp.did:1', bytes: {} });
  const allow = async (): Promise<void> => {
    await panel.waitFor('Your code');
    const code = panel.root.querySelector('#user-code')?.textContent ?? '';
    await approveDevice(service.baseUrl, code, service.demo);
  };
  await panel.waitFor('Connect once.');
  panel.click('Connect');
  await allow();
  await panel.waitFor('Add photos');
  // More than one range.
  const [file] = await writeFiles(folder, { 'harbour.jpg': 2_500_000 });
  panel.click('Add photos');
  await panel.waitFor(() => pickers.open > 0);
  pickers.answer([file?.path ?? '']);
  await panel.waitFor('1 file uploaded');

  panel.click('Browse files');
  await panel.waitFor('To see your files here, allow it once in the browser.');
  panel.click('Open browser');
  await allow();
  await panel.waitFor(() => panel.labels().includes('harbour.jpg'));
  const choosePlace = async (): Promise<void> => {
    panel.click('harbour.jpg');
    await panel.waitFor(() => panel.labels().includes('Place'));
    panel.click('Place');
  };
  await choosePlace();
  await panel.waitFor('To place files, allow it once in the browser.');
  panel.click('Open browser');
  await allow();
  await panel.waitFor(() => panel.labels().includes('harbour.jpg'));
  const pictures = join(folder, 'Pictures');
  await mkdir(pictures);
  await choosePlace();
  await panel.waitFor(() => pickers.open > 0);
  pickers.answer([pictures]);
  await panel.waitFor(() => photoshop.historyNames().length > 0);
  expect(photoshop.historyNames()).toEqual(['Place harbour.jpg']);
  const placed = await readFile(join(pictures, 'harbour.jpg'));
  expect(placed.equals(await readFile(file?.path ?? ''))).toBe(true);
  expect(photoshop.content().xmp).toContain(service.baseUrl);
  // The list of placed files has it at once.
  panel.click('Done');
  await panel.waitFor('1 placed file', 60_000);

  panel.click('Browse files');
  await panel.waitFor(() => panel.labels().includes('harbour.jpg'));
  panel.click('harbour.jpg');
  await panel.waitFor(() => panel.labels().includes('Details'));
  panel.click('Details');
  await panel.waitFor(() => panel.labels().includes('Open as a document'));
  panel.click('Open as a document');
  await panel.waitFor(() => photoshop.state().documents.length > 1);
  expect(photoshop.state().active).toBe('harbour.jpg');
  expect(await readdir(pictures)).toEqual(['harbour.jpg']);
  expect(panel.uncaught).toEqual([]);
  expect(panel.findings).toEqual([]);
});
