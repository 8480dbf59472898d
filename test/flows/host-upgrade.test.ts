import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import type { Plugin } from '../host/host.js';
import { useService } from '../service/support/use-service.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';
import { addPhotos, connect, press, usePlugins } from './fixture.js';

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
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);
  const open = (mainVersion: string, version: string): Promise<Plugin> =>
    plugins.open(mainVersion, { host: { app: 'PS', version } });

  it('the panel restarts without an error, and the older version continues with its photos', async () => {
    const [photo] = await writeFiles(plugins.folder, { 'waiting.jpg': 12_345_678 });
    if (!photo) throw new Error('no photo');
    const older = await open('26', '26.11.0');
    await older.waitFor('Connect once.');
    // Each installation has a random name.
    const shown = (plugin: Plugin): string =>
      JSON.stringify([plugin.text(), plugin.labels()]).replaceAll(/Mac · \w{4}/g, 'Mac');
    const fresh = shown(older);
    await connect(older, service);
    await addPhotos(older, photo.path);
    await press(older, 'Pause');
    await older.waitFor('Paused');
    await older.waitFor(() => isPauseKept(join(plugins.folder, '26')));
    older.kill();

    const newer = await open('27', '27.4.0');
    await newer.waitFor('Connect once.');
    // As anybody's first start: nothing about photos, an earlier account or a fault.
    expect(shown(newer)).toBe(fresh);
    expect(newer.text()).not.toMatch(/CW-|safe|waiting|reconnect/i);
    await connect(newer, service);
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
