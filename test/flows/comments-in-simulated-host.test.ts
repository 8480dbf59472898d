import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { becomes } from '../e2e/patience.js';
import { openPlugin, type Plugin } from '../host/host.js';
import type { HostControl } from '../host/modules/index.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { approveDevice, TestBrowser } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { jpeg } from '../service/support/tus-client.js';

interface AppUnderTest {
  readonly uxpVersion: string;
  readonly button: string;
  open(control: HostControl): void;
  /** Everything in the document that comments could change. */
  content(control: HostControl): unknown;
  /** The comments that are in it. */
  comments(control: HostControl): readonly unknown[];
  /** How a comment at a quarter of the width and half of the height is to be there. */
  readonly comment: object;
}

const OWN_COUNTS = { name: 'Birds', counts: [{ x: 1, y: 2 }] };
const OWN_MARKER = { name: 'Title', ticks: '0', comments: 'mine' };

const APPS: Readonly<Record<string, AppUnderTest>> = {
  PS: {
    uxpVersion: '8.4.0',
    button: 'Upload this document',
    open: ({ photoshop }) => {
      photoshop.openDocument({
        ...{ name: 'Coast.psd', documentId: 'xmp.did:coast', width: 1000, height: 500 },
        bytes: { jpg: jpeg(500) },
      });
      photoshop.change({ groups: [OWN_COUNTS] });
    },
    content: ({ photoshop }) => photoshop.counts(),
    comments: ({ photoshop }) => photoshop.counts().slice(1),
    comment: { name: expect.stringMatching(/^Client comments · v1/), counts: [{ x: 250, y: 250 }] },
  },
  ID: {
    uxpVersion: '9.0.3',
    button: 'Upload this document',
    open: ({ indesign }) => {
      indesign.openDocument({
        ...{ name: 'Coast.indd', documentId: 'xmp.did:book', pages: ['1'] },
        bytes: { pdf: Buffer.from('%PDF-1.4 coast') },
      });
    },
    content: ({ indesign }) => indesign.content(),
    comments: ({ indesign }) => indesign.content().frames,
    comment: { contents: 'Mia · v1\rDarker', page: 200 },
  },
  premierepro: {
    uxpVersion: '9.2.1',
    button: 'Upload this frame',
    open: ({ premiere }) => {
      premiere.openProject({
        ...{ name: 'Coast', seconds: 5, bytes: { jpg: jpeg(500) }, markers: [OWN_MARKER] },
      });
    },
    content: ({ premiere }) => premiere.markers(),
    comments: ({ premiere }) => premiere.markers().slice(1),
    comment: { name: 'Mia · v1', comments: 'Darker', ticks: String(5 * 254_016_000_000) },
  },
};

/** The built plugin in the simulated host, the real service, and a guest in a browser without scripts. */
describe('a comment of a guest', () => {
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

  it.each(hosts)('goes into the document and out of it: $app', async (host) => {
    const app = APPS[host.app];
    if (!app) throw new Error(`nothing is known of ${host.app}`);
    const dist = join(folder, `dist-${host.app}`);
    await buildPlugin(service.baseUrl, dist, host);
    const { uxpVersion, button } = app;
    const opened = await openPlugin({
      ...{ dist, storageDir: join(folder, host.app), uxpVersion, allowLoopbackHttp: true },
      host: { app: host.app, version: host.minVersion },
    });
    plugin = opened;
    const { control } = opened;
    const appears = (what: Parameters<Plugin['waitFor']>[0]): Promise<unknown> =>
      opened.waitFor(what, 20_000);
    // The panel looks every 45 seconds.
    opened.hurry(20);
    const allow = async (): Promise<void> => {
      const code = (): string => opened.root.querySelector('#user-code')?.textContent ?? '';
      await appears(() => code() !== '');
      await approveDevice(service.baseUrl, code(), service.demo);
    };

    app.open(control);
    const before = app.content(control);
    await appears('Connect once.');
    opened.click('Connect');
    await allow();
    await appears('Connected');
    opened.click(button);
    await appears('1 file uploaded');

    const [upload] = await service.database.query<{ id: string }>(
      'SELECT id FROM uploads ORDER BY created_at DESC LIMIT 1',
    );
    const id = upload?.id ?? '';
    const link = await shareAs(service, { ...service.demo, accountId: '' }, { photo: id });
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${link}/photo?photo=${id}`);
    await guest.submit('Send', { text: 'Darker', x: '0.25', y: '0.5' });
    await guest.submit('Continue', { name: 'Mia' });
    expect(guest.page.text).toContain('Darker');

    await appears('1 open comment');
    opened.click(/1 open comment/);
    await appears('Darker');
    opened.click('Show in document');
    // The button appears once the step in the document has ended.
    await appears('Remove from document');
    expect(app.comments(control)).toMatchObject([app.comment]);

    // The plugin gets the permission for it when it needs it.
    opened.click('Mark as done');
    await appears('allow it once in the browser');
    opened.click('Open browser');
    await allow();
    await appears('Reopen');
    const done = 'SELECT 1 FROM share_answers WHERE upload_id = $1 AND done_at IS NOT NULL';
    const isDone = async (): Promise<boolean> =>
      (await service.database.query(done, [id])).length > 0;
    expect(await becomes(isDone)).toBe(true);

    opened.click('Remove from document');
    await appears('Removed from the document.');
    expect(app.content(control)).toEqual(before);
    expect(opened.uncaught).toEqual([]);
  });
});
