import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import { hosts as documented } from '../../uxp-api/index.js';
import { compareVersions } from '../../uxp-api/versions.js';
import type { OpenPluginOptions, Plugin } from '../host/host.js';
import type { HostControl } from '../host/modules/index.js';
import { approveDevice, denyDevice } from '../service/support/browser-client.js';
import { listUploads } from '../service/support/oauth-client.js';
import { useService } from '../service/support/use-service.js';
import { IS_LONG } from '../support/long-runs.js';
import { noisePixels, PLACE_WORDS } from '../support/located-pictures.js';
import { library } from '../support/pictures.js';
import { seededRandom, testSeed } from '../support/seeded-random.js';
import { arrivals } from './arrivals.js';
import { writeFiles } from './files.js';
import {
  addPhotos,
  askForCode,
  codeIn,
  connect,
  lastToken,
  press,
  revocation,
  usePlugins,
} from './fixture.js';

interface AppVersion {
  readonly app: string;
  readonly isOldest: boolean;
  readonly version: string;
  readonly uxpVersion: string;
}

/** Every app the plugin is made for: the oldest version its manifest admits, and the newest that is known. */
const APPS = hosts.flatMap(({ app, minVersion }): AppVersion[] => {
  const versions = documented[app]?.versions ?? [];
  const oldest = versions.findLast(([version]) => compareVersions(version, minVersion) <= 0);
  return [oldest, versions.at(-1)].map((row) => {
    if (!row) throw new Error(`no version of ${app} is documented`);
    return { app, isOldest: row === oldest, version: row[0], uxpVersion: row[1] };
  });
});

const seed = testSeed();
/** The app whose newest version is tested in the short suite. */
const drawn = hosts[Math.floor(seededRandom(seed)() * hosts.length)]?.app;
const TESTED = APPS.filter(({ app, isOldest }) => isOldest || IS_LONG || app === drawn);

/** How a user uploads the open document of an app, and the resulting file. */
const EXPORTS: Readonly<
  Record<
    string,
    {
      readonly button: string;
      readonly format: string;
      readonly name: string;
      readonly type: string;
      open(control: HostControl, bytes: Uint8Array): void;
    }
  >
> = {
  PS: {
    button: 'Upload this document',
    format: 'Print',
    name: 'Coast.jpg',
    type: 'image/jpeg',
    open: ({ photoshop }, jpg) => {
      photoshop.openDocument({ name: 'Coast.psd', bytes: { jpg } });
    },
  },
  ID: {
    button: 'Upload this document',
    format: 'PDF',
    name: 'Coast.pdf',
    type: 'application/pdf',
    open: ({ indesign }, pdf) => {
      indesign.openDocument({ name: 'Coast.indd', pages: ['1', '2'], bytes: { pdf } });
    },
  },
  premierepro: {
    button: 'Upload this frame',
    format: 'JPEG',
    name: 'Coast 00-00-05.00.jpg',
    type: 'image/jpeg',
    open: ({ premiere }, jpg) => {
      premiere.openProject({ name: 'Coast', seconds: 5, bytes: { jpg } });
    },
  },
};

/** The built bundle in the simulated host, against the real service: nothing of the plugin is replaced. */
describe(`the main job in the simulated host (TEST_SEED=${seed})`, () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);

  it('covers Photoshop, InDesign and Premiere since UXP 8.4, 9.0.3 and 9.2.1', () => {
    expect(APPS.map(({ app, uxpVersion }) => `${app} ${uxpVersion}`)).toEqual(
      expect.arrayContaining([
        'PS 8.4.0',
        'ID 9.0.3',
        'ID 9.3.0',
        'premierepro 9.2.1',
        'premierepro 9.3.0',
      ]),
    );
  });

  describe.each(TESTED)('$app $version with UXP $uxpVersion', (appVersion) => {
    const { app, isOldest, version, uxpVersion } = appVersion;
    // Short: a long file name takes two lines.
    const tag = `${app.slice(0, 2)} ${version}`;

    // Without uploads of the other apps, whose documents have the same names.
    beforeAll(() => service.database.query('DELETE FROM uploads'));

    const open = (name: string, more?: Partial<OpenPluginOptions>): Promise<Plugin> =>
      plugins.open(join(tag, name), { uxpVersion, host: { app, version }, ...more });

    /** As the first thing of a plugin that is connected; nothing that is another app's is offered. */
    const uploadWhatIsOpen = async (plugin: Plugin): Promise<void> => {
      const exporting = EXPORTS[app];
      if (!exporting) throw new Error(`nothing is known of ${app}`);
      const offered = plugin.labels().filter((label) => /^(Upload|Print|JPEG|PDF)/.test(label));
      expect(offered).toEqual([exporting.button, exporting.format]);
      plugin.click(exporting.button);
      await plugin.waitFor('CW-803');

      const bytes = Buffer.from(`exported by ${tag} `.repeat(20_000));
      exporting.open(plugin.control, bytes);
      plugin.click(exporting.button);
      await plugin.waitFor('1 file uploaded');
      const { name, type } = exporting;
      expect(await arrivals(service.baseUrl, lastToken(plugin))).toContainEqual({
        name,
        type,
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      if (app === 'PS') await uploadForTheWeb(plugin);
    };

    /** Chooses another preset: its settings reach the picture, and its name pattern the service. */
    const uploadForTheWeb = async (plugin: Plugin): Promise<void> => {
      // Without the image library the app cannot save pictures.
      if (library === undefined) return;
      plugin.control.photoshop.openDocument({
        name: 'Coast.psd',
        picture: noisePixels(2400, 16, 16),
      });
      await press(plugin, 'Print');
      await plugin.waitFor('Edit presets…');
      plugin.click(/^Web/);
      await plugin.waitFor(() => plugin.labels().includes('Web'));
      plugin.click('Upload this document');
      await plugin.waitFor(() => /Coast-web\.jpg\n.*\nUploaded/.test(plugin.text()));
      expect(await arrivals(service.baseUrl, lastToken(plugin))).toContainEqual(
        expect.objectContaining({ name: 'Coast-web.jpg', type: 'image/jpeg' }),
      );
      expect(plugin.control.photoshop.copies.at(-1)).toMatchObject({
        format: 'jpg',
        options: { quality: 10 },
      });
      const rows = await service.database.query<{ id: string }>(
        "SELECT id FROM uploads WHERE name = 'Coast-web.jpg'",
      );
      const file = await service.stored.read(rows[0]?.id ?? '');
      const { icc, ...found } = await library(file).metadata();
      expect(found).toMatchObject({ format: 'jpeg', width: 2048, height: 14 });
      expect(icc?.toString('latin1').replace(/\0/g, '')).toContain('sRGB');
      const text = file.toString('latin1');
      expect(PLACE_WORDS.filter((word) => text.includes(word))).toEqual([]);
    };

    // The oldest has the fewest APIs, so code that works there works later. For the newest, the app's document is uploaded
    // from the one that is drawn. In long runs every version does all of it.
    if (!isOldest && !IS_LONG) {
      it('uploads the open document', async () => {
        const plugin = await open('export');
        await connect(plugin, service);
        await uploadWhatIsOpen(plugin);
        expect(plugin.uncaught).toEqual([]);
      });
      return;
    }

    it('connects, uploads photos and the open document, stays connected over a restart, and disconnects', async () => {
      // One request takes 8 MiB. How a photo is cut into such has nothing to do with the app.
      const isLarge = app === 'PS' || IS_LONG;
      const photos = await writeFiles(plugins.folder, {
        [`${tag} a small one.jpg`]: 3,
        [`${tag} IMG_0002.JPG`]: 300_000,
        [`${tag} Küste #1 100%.png`]: isLarge ? 8 * 1024 * 1024 : 80_000,
        [`${tag} 夕焼け.psd`]: isLarge ? 9_000_001 : 90_001,
      });
      const plugin = await open('main');
      const code = await askForCode(plugin);
      // The code is visible before the browser opens.
      await plugin.waitFor(() => plugin.control.shell.calls.length > 0);
      expect(plugin.control.shell.calls.map(({ target }) => target)).toEqual([
        `${service.baseUrl}/oauth/device?user_code=${code}&ui_locales=en`,
      ]);
      await approveDevice(service.baseUrl, code, service.demo);
      await plugin.waitFor('Connected');
      await uploadWhatIsOpen(plugin);

      await addPhotos(plugin, ...photos.map(({ path }) => path));
      await plugin.waitFor('4 files uploaded');

      const token = lastToken(plugin);
      const arrived = await arrivals(service.baseUrl, token);
      // All apps upload to one account.
      expect(arrived.filter(({ name }) => photos.some((photo) => photo.name === name))).toEqual(
        photos
          .map(({ name, size, sha256 }) => ({
            name,
            size,
            sha256,
            type: name.endsWith('psd')
              ? 'image/vnd.adobe.photoshop'
              : name.endsWith('png')
                ? 'image/png'
                : 'image/jpeg',
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
      // The record that the last photo was uploaded may be written just now.
      await plugin.waitFor(() => plugin.control.openDescriptors() === 0);
      expect(plugin.uncaught).toEqual([]);
      plugin.kill();

      const again = await open('main');
      // The kill may precede the record that a photo was uploaded. The panel then checks the photo, and shows it in the list.
      const uploaded = (text: string): number =>
        [/(\d+) files? uploaded/, /(\d+) earlier uploads?/].reduce(
          (sum, pattern) => sum + Number(pattern.exec(text)?.[1] ?? 0),
          0,
        );
      // With the document, of which Photoshop made two copies.
      const count = app === 'PS' && library !== undefined ? 6 : 5;
      await again.waitFor(() => uploaded(again.text()) === count, 30_000);
      await again.waitFor(() => !/Waiting|Uploading/.test(again.text()));
      expect(await arrivals(service.baseUrl, token)).toEqual(arrived);
      await press(again, 'Account menu');
      await press(again, 'Disconnect');
      await again.waitFor('Connect once.');
      await revocation(again);
      expect((await listUploads(service.baseUrl, token)).status).toBe(401);
      expect(again.uncaught).toEqual([]);
      expect(again.console).toEqual([]);
      await again.close();
    });

    // The rest does not depend on the app.
    if (app !== 'PS') return;

    it('uploads a photo as it was when queued, though the file is gone and the host was killed', async () => {
      const [photo] = await writeFiles(plugins.folder, { [`${tag} gone.jpg`]: 12_345_678 });
      if (!photo) throw new Error('no photo');
      const plugin = await open('gone');
      await connect(plugin, service);
      await addPhotos(plugin, photo.path);
      await plugin.waitFor(photo.name);
      plugin.kill();
      await unlink(photo.path);

      const again = await open('gone');
      await again.waitFor('1 file uploaded');
      const arrived = await arrivals(service.baseUrl, lastToken(again));
      expect(arrived.filter(({ name }) => name === photo.name)).toEqual([
        { name: photo.name, size: photo.size, type: 'image/jpeg', sha256: photo.sha256 },
      ]);
    });

    it('continues a sign-in in progress after the host was killed', async () => {
      const plugin = await open('resumed');
      const code = await askForCode(plugin);
      plugin.kill();

      const again = await open('resumed');
      expect(await codeIn(again)).toBe(code);
      expect(again.control.shell.calls).toEqual([]);
      await approveDevice(service.baseUrl, code, service.demo);
      await again.waitFor('Connected');
    });

    it('shows a denied sign-in or an unopened browser, and offers the next step', async () => {
      const plugin = await open('denied', {
        prepare: (control) => {
          control.shell.allow = false;
        },
      });
      await askForCode(plugin);
      await plugin.waitFor('CW-105');
      expect(plugin.root.querySelector('#verification-uri')?.textContent).toBe(
        `${service.baseUrl}/oauth/device`,
      );
      await denyDevice(service.baseUrl, await codeIn(plugin), service.demo);
      await plugin.waitFor('CW-103');
      plugin.click('Get a new code');
      await plugin.waitFor('Your code');
      plugin.click('Cancel');
      await plugin.waitFor('Connect once.');
    });
  });
});
