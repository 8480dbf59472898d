import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ChaosProxy } from '../crash/chaos-proxy.js';
import type { Plugin } from '../host/host.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';
import { addPhotos, connect, press, usePlugins } from './fixture.js';

/** The built bundle in the simulated host, and a service that goes away in the middle of a photo and comes back. */
let service: TestService;
let proxy: ChaosProxy;
let plugin: Plugin;
let away = false;
const plugins = usePlugins(() => service.baseUrl);

beforeAll(async () => {
  proxy = await ChaosProxy.start({
    targetPort: () => Number(service.listensOn.split(':').at(-1)),
    fate: () => (away ? { kind: 'cut', afterBytes: 0 } : { kind: 'cut', afterBytes: 4_000_000 }),
  });
  service = await startTestService({
    baseUrl: `http://localhost:${proxy.port}`,
    lifetimes: { pollIntervalSeconds: 1 },
  });
  plugin = await plugins.open('storage', { host: { app: 'PS', version: '27.4.0' } });
});

afterAll(async () => {
  await service.close();
  await proxy.close();
});

const menu = (): string[] =>
  plugin.control.entrypoints.menu('creativeWorkspacePanel').map(({ label }) => label);

it('shows one headline while the service is away, keeps confirmed bytes, and continues automatically', async () => {
  const [photo] = await writeFiles(plugins.folder, { 'coast.jpg': 7_654_321 });
  if (!photo) throw new Error('no photo');
  await connect(plugin, service);
  expect(menu()).toContain('Pause');

  proxy.bytesPerSecond = 1_500_000;
  await addPhotos(plugin, photo.path);
  await plugin.waitFor(() => /[1-9][.\d]* of 7\.7\sMB/.test(plugin.text()));
  away = true;
  await plugin.waitFor('No connection');
  const text = plugin.text();
  expect(text).not.toMatch(/^Connected$|^Uploading$|0\sB of/m);
  expect(text).toMatch(/Waiting at \d+%/);

  await press(plugin, 'Try now');
  await plugin.waitFor('Trying again now.');
  await plugin.waitFor('Last attempt failed');
  expect(plugin.text()).not.toMatch(/0\sB of/);

  await press(plugin, 'Pause');
  await plugin.waitFor(/^Paused$/m);
  expect(menu()).toContain('Resume');
  await press(plugin, 'Resume');
  await plugin.waitFor('No connection');
  expect(menu()).toContain('Pause');
  expect(plugin.text()).not.toMatch(/0\sB of/);

  // Until waits have grown as far as they may: half a minute, as the plugin sees it.
  const tried = plugin.requests.length;
  plugin.hurry(20);
  await plugin.waitFor(() => plugin.requests.length >= tried + 6);
  plugin.hurry(1);
  proxy.bytesPerSecond = Infinity;
  away = false;
  await plugin.waitFor('1 file uploaded');
  expect(plugin.text()).toMatch(/^Connected$/m);
  const { accessToken } = await service.connect();
  const arrived = await arrivals(service.baseUrl, accessToken);
  expect(arrived.map(({ sha256 }) => sha256)).toEqual([photo.sha256]);
  expect(plugin.uncaught).toEqual([]);
});
