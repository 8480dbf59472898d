import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openPlugin, type Plugin } from '../host/host.js';
import { approveDevice } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';

/** Whether the plugin's records in this folder say that uploads are paused. */
function isPauseKept(storage: string): boolean {
  return readdirSync(storage, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith('records'))
    .some(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), 'utf8').includes('"paused"'),
    );
}

/** A new main version of the app has separate, empty storage; the older version keeps its own. */
describe('after an upgrade of the app', () => {
  const opened: Plugin[] = [];
  let folder: string;
  let service: TestService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
    await buildPlugin(service.baseUrl, join(folder, 'dist'));
  });

  afterAll(async () => {
    for (const plugin of opened) plugin.kill();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (mainVersion: string, version: string): Promise<Plugin> => {
    const plugin = await openPlugin({
      dist: join(folder, 'dist'),
      storageDir: join(folder, mainVersion),
      host: { app: 'PS', version },
      allowLoopbackHttp: true,
    });
    opened.push(plugin);
    return plugin;
  };

  const connect = async (plugin: Plugin): Promise<void> => {
    plugin.click('Connect');
    await plugin.waitFor('Your code');
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(plugin.text()) ?? [];
    await approveDevice(service.baseUrl, code, service.demo);
    await plugin.waitFor('Connected');
  };

  it('the panel restarts without an error, and the older version continues with its photos', async () => {
    const [photo] = await writeFiles(folder, { 'waiting.jpg': 12_345_678 });
    if (!photo) throw new Error('no photo');
    const older = await open('26', '26.11.0');
    await older.waitFor('Connect once.');
    // Each installation has a random name.
    const shown = (plugin: Plugin): string =>
      JSON.stringify([plugin.text(), plugin.labels()]).replaceAll(/Mac · \w{4}/g, 'Mac');
    const fresh = shown(older);
    await connect(older);
    older.click('Add photos');
    await older.waitFor(() => older.control.pickers.open > 0);
    older.control.pickers.answer([photo.path]);
    await older.waitFor(() => older.labels().includes('Pause'));
    older.click('Pause');
    await older.waitFor('Paused');
    await older.waitFor(() => isPauseKept(join(folder, '26')));
    older.kill();

    const newer = await open('27', '27.4.0');
    await newer.waitFor('Connect once.');
    // As anybody's first start: nothing about photos, an earlier account or a fault.
    expect(shown(newer)).toBe(fresh);
    expect(newer.text()).not.toMatch(/CW-|safe|waiting|reconnect/i);
    await connect(newer);
    expect(newer.uncaught).toEqual([]);
    newer.kill();

    const again = await open('26', '26.11.0');
    await again.waitFor('Paused');
    await again.waitFor('waiting.jpg');
    again.click('Resume');
    await again.waitFor('1 file uploaded');
    const { accessToken } = await service.connect();
    const arrived = await arrivals(service.baseUrl, accessToken);
    expect(arrived.map(({ sha256 }) => sha256)).toEqual([photo.sha256]);
    expect(again.uncaught).toEqual([]);
  });
});
