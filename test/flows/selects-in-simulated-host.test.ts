import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { approveDevice, TestBrowser } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { jpeg } from '../service/support/tus-client.js';

const SIDECAR =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmpMM:DocumentID="xmp.did:coast"/></rdf:RDF></x:xmpmeta>';

/** The built plugin in the simulated Photoshop, the real service, and a guest in a browser without scripts. */
describe('a favorite of a guest', () => {
  let folder: string;
  let service: TestService;
  let plugin: Plugin | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'flows-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  });
  afterAll(async () => {
    plugin?.kill();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('becomes five stars in the sidecar of a renamed file, and is undone', async () => {
    const host = hosts.find(({ app }) => app === 'PS');
    if (!host) throw new Error('there is no Photoshop');
    const dist = join(folder, 'dist');
    await buildPlugin(service.baseUrl, dist, host);
    const opened = await openPlugin({
      ...{
        dist,
        storageDir: join(folder, 'storage'),
        uxpVersion: '8.4.0',
        allowLoopbackHttp: true,
      },
      host: { app: host.app, version: host.minVersion },
    });
    plugin = opened;
    const { photoshop, pickers } = opened.control;
    const appears = (what: Parameters<Plugin['waitFor']>[0]): Promise<unknown> =>
      opened.waitFor(what, 20_000);
    opened.hurry(20);
    const allow = async (): Promise<void> => {
      const code = (): string => opened.root.querySelector('#user-code')?.textContent ?? '';
      await appears(() => code() !== '');
      await approveDevice(service.baseUrl, code(), service.demo);
    };
    photoshop.openDocument({
      ...{ name: 'Coast.psd', documentId: 'xmp.did:coast', width: 1000, height: 500 },
      bytes: { jpg: jpeg(500) },
    });
    await appears('Connect once.');
    opened.click('Connect');
    await allow();
    await appears('Connected');
    opened.click('Upload this document');
    await appears('1 file uploaded');
    const [upload] = await service.database.query<{ id: string }>('SELECT id FROM uploads LIMIT 1');
    const id = upload?.id ?? '';
    const link = await shareAs(service, { ...service.demo, accountId: '' }, { photo: id });
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${link}/photo?photo=${id}`);
    await guest.submit('Favorite');
    await guest.submit('Continue', { name: 'Mia' });

    const photos = join(folder, 'Photos');
    mkdirSync(photos);
    writeFileSync(join(photos, '2026-05-12 0001.nef'), 'raw');
    const sidecar = join(photos, '2026-05-12 0001.xmp');
    writeFileSync(sidecar, SIDECAR);
    const choose = async (opener: string | RegExp, entry: string | RegExp): Promise<void> => {
      opened.click(opener);
      await appears(() => opened.root.querySelector('.popover .entry') !== null);
      opened.click(entry);
    };
    await choose('Account menu', 'Get selects');
    await appears('allow it once in the browser');
    opened.click('Open browser');
    await allow();
    await appears('Choose link');
    await choose(/Choose link/, /Coast/);
    pickers.answer([photos]);
    opened.click(/Choose folder/);
    await appears('Preview changes');
    opened.click('Done');
    // With link and folder chosen, one press is enough.
    await appears(() => opened.root.querySelector('.selects-line') !== null);
    opened.click(/^Get selects/);
    await appears('1 file changed');
    expect(readFileSync(sidecar, 'utf8')).toBe(
      SIDECAR.replace(
        '<rdf:Description',
        '<rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="5"',
      ),
    );
    opened.click('Undo for 1 file');
    await appears('1 file is as it was');
    expect(readFileSync(sidecar, 'utf8')).toBe(SIDECAR);
    expect(readdirSync(photos)).toHaveLength(2);
    expect(opened.uncaught).toEqual([]);
  });
});
