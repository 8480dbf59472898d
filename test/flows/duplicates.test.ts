import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { photoshop } from '../../build/hosts.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { approveDevice } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { writeFiles } from './files.js';

let folder: string;
let service: TestService;
let plugin: Plugin | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'known-'));
  service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  await buildPlugin(service.baseUrl, join(folder, 'dist'), photoshop);
});

afterAll(async () => {
  plugin?.kill();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

it('prompts about duplicates, in the strict host against the real service', async () => {
  const opened = await openPlugin({
    dist: join(folder, 'dist'),
    storageDir: join(folder, 'storage'),
    uxpVersion: '9.2.0',
    allowLoopbackHttp: true,
  });
  plugin = opened;
  await opened.waitFor('Connect once.');
  opened.click('Connect');
  await opened.waitFor('Your code');
  const code = opened.root.querySelector('#user-code')?.textContent ?? '';
  await approveDevice(service.baseUrl, code, service.demo);
  await opened.waitFor('Add photos');

  const files = await writeFiles(folder, { 'a.jpg': 600_000, 'b.jpg': 20_000 });
  const add = async (paths: readonly string[]): Promise<void> => {
    opened.click('Add photos');
    await opened.waitFor(() => opened.control.pickers.open > 0);
    opened.control.pickers.answer(paths);
  };
  await add(files.map(({ path }) => path));
  await opened.waitFor('2 files uploaded');
  opened.click('List options');
  await opened.waitFor(() => opened.labels().includes('Clear uploaded'));
  opened.click('Clear uploaded');
  await add(files.map(({ path }) => path));
  await opened.waitFor('2 files are already uploaded');
  opened.click('Skip');
  await opened.waitFor('2 files removed');
  opened.click('2 earlier uploads');
  await opened.waitFor('Copy list');
  expect(opened.text()).toMatch(/a\.jpg[^]*Demo Studio/);
  expect(opened.uncaught).toEqual([]);
  expect(opened.console).toEqual([]);
});
