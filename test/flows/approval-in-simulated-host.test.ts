import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type Plugin } from '../host/host.js';
import type { HostControl } from '../host/modules/index.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { approveDevice, TestBrowser } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { jpeg } from '../service/support/tus-client.js';

interface AppUnderTest {
  readonly uxpVersion: string;
  /** The preset in the menu, and in the list. */
  readonly preset: string;
  readonly row: string;
  open(control: HostControl): void;
  edit(control: HostControl): void;
}

/** Premiere reports no changes, so its presets cannot require an approval. */
const APPS: Readonly<Record<string, AppUnderTest>> = {
  PS: {
    uxpVersion: '8.4.0',
    preset: 'Print',
    row: 'PrintJPEG',
    open: ({ photoshop }) => {
      photoshop.openDocument({
        ...{ name: 'Coast.psd', documentId: 'xmp.did:coast', width: 1000, height: 500 },
        bytes: { jpg: jpeg(500) },
      });
    },
    edit: ({ photoshop }) => {
      photoshop.edit();
    },
  },
  ID: {
    uxpVersion: '9.0.3',
    preset: 'PDF',
    row: 'PDFPDF',
    open: ({ indesign }) => {
      indesign.openDocument({
        ...{ name: 'Coast.indd', documentId: 'xmp.did:book', pages: ['1'] },
        bytes: { pdf: Buffer.from('%PDF-1.4 coast') },
      });
    },
    edit: ({ indesign }) => {
      indesign.edit();
    },
  },
};

/** The built plugin in the simulated host, the real service, and a guest in a browser without scripts. */
describe('a preset that requires an approval', () => {
  let folder: string;
  let service: TestService;
  let plugin: Plugin | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flows-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  });
  afterEach(() => plugin?.kill());
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(hosts.filter(({ app }) => app in APPS))(
    'uploads what the client approved, and nothing that changed since: $app',
    async (host) => {
      const app = APPS[host.app];
      if (!app) throw new Error(`nothing is known of ${host.app}`);
      const dist = join(folder, `dist-${host.app}`);
      await buildPlugin(service.baseUrl, dist, host);
      const opened = await openPlugin({
        ...{ dist, storageDir: join(folder, host.app), uxpVersion: app.uxpVersion },
        ...{ allowLoopbackHttp: true, host: { app: host.app, version: host.minVersion } },
      });
      plugin = opened;
      const appears = (what: Parameters<Plugin['waitFor']>[0]): Promise<unknown> =>
        opened.waitFor(what, 20_000);
      const uploads = (): Promise<readonly { id: string }[]> =>
        service.database.query<{ id: string }>('SELECT id FROM uploads ORDER BY created_at');

      app.open(opened.control);
      await appears('Connect once.');
      opened.click('Connect');
      const code = (): string => opened.root.querySelector('#user-code')?.textContent ?? '';
      await appears(() => code() !== '');
      await approveDevice(service.baseUrl, code(), service.demo);
      await appears('Connected');
      opened.click('Upload this document');
      await appears('1 file uploaded');
      const before = await uploads();
      const id = before.at(-1)?.id ?? '';

      opened.click(app.preset);
      await appears('Edit presets…');
      opened.click('Edit presets…');
      await appears('New preset');
      opened.click(app.row);
      await appears(/Only what the client\s*approved/);
      opened.click(/^Only what the client/);
      await appears(/Selected\s*Only what the client/);
      opened.click('Save');
      await appears('if approved');
      opened.click('Done');
      await appears('Upload this document');

      opened.click('Upload this document');
      await appears('CW-820');
      opened.click('Dismiss');
      await appears(() => !opened.root.textContent.includes('CW-820'));

      const link = await shareAs(service, { ...service.demo, accountId: '' }, { photo: id });
      const guest = new TestBrowser(service.baseUrl);
      await guest.open(`${link}/photo?photo=${id}`);
      await guest.submit('Approve');
      await guest.submit('Continue', { name: 'Mia' });
      opened.click('Upload this document');
      // The simulated app writes the same bytes again.
      await appears('Already uploaded');

      app.edit(opened.control);
      opened.click('Upload this document');
      await appears('CW-820');
      expect(opened.root.textContent).toContain('The client has not approved this as it is now');
      expect(await uploads()).toHaveLength(before.length);
      expect(opened.uncaught).toEqual([]);
    },
  );
});
