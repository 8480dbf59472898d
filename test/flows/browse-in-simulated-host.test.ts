import { mkdtemp, rm } from 'node:fs/promises';
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
  folder = await mkdtemp(join(tmpdir(), 'browse-'));
  service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  await buildPlugin(service.baseUrl, join(folder, 'dist'));
});

afterAll(async () => {
  plugin?.kill();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

it('browses the files of the workspace in the strict host, with a permission for each step', async () => {
  const panel = await openPlugin({
    dist: join(folder, 'dist'),
    storageDir: join(folder, 'storage'),
    uxpVersion: '9.2.0',
    allowLoopbackHttp: true,
  });
  plugin = panel;
  const allow = async (): Promise<void> => {
    await panel.waitFor('Your code');
    const code = panel.root.querySelector('#user-code')?.textContent ?? '';
    await approveDevice(service.baseUrl, code, service.demo);
  };
  await panel.waitFor('Connect once.');
  panel.click('Connect');
  await allow();
  await panel.waitFor('Add photos');
  const files = await writeFiles(folder, { 'harbour.jpg': 9_000, 'coast.jpg': 7_000 });
  panel.click('Add photos');
  await panel.waitFor(() => panel.control.pickers.open > 0);
  panel.control.pickers.answer(files.map(({ path }) => path));
  await panel.waitFor('2 files uploaded');

  panel.click('Browse files');
  await panel.waitFor('To see your files here, allow it once in the browser.');
  panel.click('Open browser');
  await allow();
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
  panel.click('Back');
  await panel.waitFor(() => panel.labels().includes('My files'));
  panel.click('My files');
  await panel.waitFor(() => panel.labels().includes('Everyone’s files'));
  panel.click('Everyone’s files');
  await panel.waitFor('To see files of others, allow it once in the browser.');
  panel.click('Open browser');
  await allow();
  await panel.waitFor(/coast\.jpg/);
  expect(panel.labels()).toContain('Everyone’s files');
  panel.click('Done');
  await panel.waitFor('Browse files');
  expect(panel.uncaught).toEqual([]);
  expect(panel.findings).toEqual([]);
  expect(panel.console).toEqual([]);
});
