import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { hosts, type HostApp } from '../../build/hosts.js';
import { becomes } from '../e2e/patience.js';
import type { HostControl } from '../host/modules/index.js';
import { jpeg } from '../service/support/tus-client.js';
import { useService } from '../service/support/use-service.js';
import { connectAs, send } from '../service/support/users.js';
import { allow, COAST, connect, pick, press, usePlugins } from './fixture.js';

interface AppUnderTest {
  /** The beginning of the name of an upload of the document. */
  readonly document: string;
  /** Opens a document with links to these files, which were placed by other means. */
  readonly open: (control: HostControl, links: readonly { path: string; stamp: string }[]) => void;
  /** The paths of the links in the document. */
  readonly paths: (control: HostControl) => readonly (string | null | undefined)[];
  /** The texts in which the document keeps identities. */
  readonly identities: (control: HostControl) => string;
}

const BOUNDS = { left: 0, top: 0, right: 10, bottom: 10 };

const APPS: Readonly<Record<HostApp['app'], AppUnderTest>> = {
  PS: {
    document: 'Poster',
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
    document: 'Book',
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
    document: 'Trip',
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
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);

  it.each(hosts)('are recognised, named in an upload, and updated: $app', async ({ app }) => {
    const { document, open, paths, identities } = APPS[app];
    const pictures = join(plugins.folder, `${app} pictures`);
    await mkdir(pictures);
    const token = await connectAs(service, service.demo, 'uploads:write');
    const name = `Harbour ${app}.jpg`;
    const [before, after] = [jpeg(500, app.length), jpeg(700, app.length)];
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
    const panel = await plugins.open(app, {
      host: { app },
      // The first that places files.
      ...(app === 'PS' && { uxpVersion: '9.2.0' }),
    });
    const { control } = panel;

    open(control, links);
    await connect(panel, service);
    await press(panel, '2 placed files');
    await panel.waitFor('2 files placed another way');
    await press(panel, 'Find in workspace');
    await pick(panel, pictures);
    await panel.waitFor('Up to date');
    await panel.waitFor('1 of them is not in the workspace.');
    await press(panel, 'Done');

    await press(panel, COAST[app].button);
    await panel.waitFor('1 file uploaded');
    const named = async (): Promise<string> => {
      const rows = await service.database.query<{ placed: string }>(
        `SELECT placements.upload_id AS placed FROM placements
             JOIN uploads ON uploads.id = placements.container_id
            WHERE uploads.name LIKE $1`,
        [`${document}%`],
      );
      return rows.map(({ placed }) => placed).join();
    };
    await becomes(async () => (await named()) !== '');
    expect(await named()).toBe(first);

    await send(service, token, name, after);
    await press(panel, '2 placed files');
    await panel.waitFor('Newer version');
    await press(panel, 'Update');
    await panel.waitFor('To place files, allow it once in the browser.');
    await press(panel, 'Open browser');
    await allow(panel, service);
    await press(panel, 'Update');
    await pick(panel, pictures);
    await panel.waitFor('1 file updated');
    expect([...paths(control)].sort()).toEqual([join(pictures, name), links[1]?.path]);
    expect(identities(control)).toContain(service.baseUrl);
    expect(identities(control).split(service.baseUrl)).toHaveLength(2);
    expect([panel.uncaught, panel.findings]).toEqual([[], []]);
  });
});
