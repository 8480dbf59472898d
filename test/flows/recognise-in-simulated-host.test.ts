import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { becomes } from '../e2e/patience.js';
import { openPlugin, type Plugin } from '../host/host.js';
import type { HostControl } from '../host/modules/index.js';
import { approveDevice } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { jpeg } from '../service/support/tus-client.js';
import { connectAs, send } from '../service/support/users.js';

interface AppUnderTest {
  readonly uxpVersion: string;
  readonly button: string;
  /** The beginning of the name of an upload of the document. */
  readonly document: string;
  /** Opens a document with links to these files, which were placed by other means. */
  open(control: HostControl, links: readonly { path: string; stamp: string }[]): void;
  /** The paths of the links in the document. */
  paths(control: HostControl): readonly (string | null | undefined)[];
  /** The texts in which the document keeps identities. */
  identities(control: HostControl): string;
}

const BOUNDS = { left: 0, top: 0, right: 10, bottom: 10 };

const APPS: Readonly<Record<string, AppUnderTest>> = {
  PS: {
    ...{ uxpVersion: '9.2.0', button: 'Upload this document', document: 'Poster' },
    open: ({ photoshop }, links) => {
      photoshop.placesFiles = true;
      photoshop.openDocument({
        ...{ name: 'Poster.psd', documentId: 'xmp.did:poster', bytes: { jpg: jpeg(400, 9) } },
        layers: links.map((link, index) => ({
          ...{ id: 40 + index, bounds: BOUNDS },
          smartObject: { ...link, isLinked: true },
        })),
      });
    },
    paths: ({ photoshop }) => photoshop.content().layers.map((layer) => layer.smartObject?.path),
    identities: ({ photoshop }) => photoshop.content().xmp,
  },
  ID: {
    ...{ uxpVersion: '9.0.3', button: 'Upload this document', document: 'Book' },
    open: ({ indesign }, links) => {
      indesign.enumerations = 'numbers';
      indesign.openDocument({
        ...{ name: 'Book.indd', documentId: 'xmp.did:book', pages: ['1'] },
        bytes: { pdf: Buffer.from('%PDF-1.4 book') },
      });
      for (const [index, link] of links.entries()) {
        indesign.drawPicture({ id: index + 1, link: { ...link, id: 10 + index, labels: {} } });
      }
    },
    paths: ({ indesign }) => indesign.content().pictures.map(({ link }) => link?.path),
    identities: ({ indesign }) =>
      JSON.stringify(indesign.content().pictures.map(({ link }) => link?.labels)),
  },
  premierepro: {
    ...{ uxpVersion: '9.2.1', button: 'Upload this frame', document: 'Trip' },
    open: ({ premiere }, links) => {
      premiere.openProject({ name: 'Trip', seconds: 3, bytes: { jpg: jpeg(400, 8) } });
      premiere.items = links.map(({ path }, index) => ({
        ...{ id: `item ${index}`, name: `item ${index}`, path, bin: null, metadata: '' },
      }));
    },
    paths: ({ premiere }) => premiere.items.map(({ path }) => path?.normalize()),
    identities: ({ premiere }) => premiere.items.map(({ metadata }) => metadata).join(),
  },
};

/** The built plugin in the simulated host, and the real service. */
describe('files that were placed by other means', () => {
  let folder: string;
  let service: TestService;
  let plugin: Plugin | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recognise-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
  });
  afterEach(() => plugin?.kill());
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(hosts)('are recognised, named in an upload, and updated: $app', async (host) => {
    const app = APPS[host.app];
    if (!app) throw new Error(`nothing is known of ${host.app}`);
    const own = join(folder, host.app);
    const dist = join(own, 'dist');
    await buildPlugin(service.baseUrl, dist, host);
    const pictures = join(own, 'Pictures');
    await mkdir(pictures);
    const token = await connectAs(service, service.demo, 'uploads:write');
    const name = `Harbour ${host.app}.jpg`;
    const [before, after] = [jpeg(500, host.app.length), jpeg(700, host.app.length)];
    const first = await send(service, token, name, before);
    const links: { path: string; stamp: string }[] = [];
    for (const [file, bytes] of [
      ['Old copy.jpg', before],
      ['Private.jpg', jpeg(300, 77)],
    ] as const) {
      const path = join(pictures, file);
      await writeFile(path, bytes);
      const { mtimeMs, size } = await stat(path);
      links.push({ path, stamp: `${size} ${mtimeMs}` });
    }
    const panel = await openPlugin({
      ...{ dist, storageDir: join(own, 'storage'), allowLoopbackHttp: true },
      ...{ uxpVersion: app.uxpVersion, host: { app: host.app, version: host.minVersion } },
    });
    plugin = panel;
    const { control } = panel;
    const { pickers } = control;
    const appears = (what: Parameters<Plugin['waitFor']>[0]): Promise<unknown> =>
      panel.waitFor(what, 20_000);
    const allow = async (): Promise<void> => {
      const code = (): string => panel.root.querySelector('#user-code')?.textContent ?? '';
      await appears(() => code() !== '');
      await approveDevice(service.baseUrl, code(), service.demo);
    };
    const choose = async (): Promise<void> => {
      await appears(() => pickers.open > 0);
      pickers.answer([pictures]);
    };

    app.open(control, links);
    await appears('Connect once.');
    panel.click('Connect');
    await allow();
    await appears('2 placed files');
    panel.click('2 placed files');
    await appears('2 files placed another way');
    panel.click('Find in workspace');
    await choose();
    await appears('Up to date');
    await appears('1 of them is not in the workspace.');
    panel.click('Done');

    await appears(app.button);
    panel.click(app.button);
    await appears('1 file uploaded');
    const named = async (): Promise<string> => {
      const rows = await service.database.query<{ placed: string }>(
        `SELECT placements.upload_id AS placed FROM placements
             JOIN uploads ON uploads.id = placements.container_id
            WHERE uploads.name LIKE $1`,
        [`${app.document}%`],
      );
      return rows.map(({ placed }) => placed).join();
    };
    await becomes(async () => (await named()) !== '');
    expect(await named()).toBe(first);

    await send(service, token, name, after);
    panel.click('2 placed files');
    await appears('Newer version');
    panel.click('Update');
    await appears('To place files, allow it once in the browser.');
    panel.click('Open browser');
    await allow();
    await appears(() => panel.labels().includes('Update'));
    panel.click('Update');
    await choose();
    await appears('1 file updated');
    expect([...app.paths(control)].sort()).toEqual([join(pictures, name), links[1]?.path]);
    expect(app.identities(control)).toContain(service.baseUrl);
    expect(app.identities(control).split(service.baseUrl)).toHaveLength(2);
    expect(panel.uncaught).toEqual([]);
    expect(panel.findings).toEqual([]);
  });
});
