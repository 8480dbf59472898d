import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { hosts } from '../../build/hosts.js';
import type { Plugin } from '../host/host.js';
import type { RecordedStep } from '../host/modules/photoshop-action.js';
import { TestBrowser } from '../service/support/browser-client.js';
import type { TestService } from '../service/support/running-service.js';
import { withXmp } from '../support/camera-files.js';
import { jpeg } from '../service/support/tus-client.js';
import { useService } from '../service/support/use-service.js';
import { asJpeg } from '../support/jpeg.js';
import { IS_LONG } from '../support/long-runs.js';
import { seededRandom, testSeed } from '../support/seeded-random.js';
import { Computer, WorkingDocument } from './automatic-uploads.js';
import { sha256, writeFiles } from './files.js';
import { addPhotos, allow, COAST, connect, pick, press, usePlugins } from './fixture.js';

/** From the app to the client: projects, versions and links, with the built plugin and the real service. */
describe('photos for a client in the simulated host', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);
  const { folder } = plugins;
  /** Reads what the service has. */
  let token: string;

  beforeAll(async () => {
    ({ accessToken: token } = await service.connect());
  });

  // What differs between the apps is in `main-job-in-simulated-host`.
  it.each(IS_LONG ? hosts : hosts.slice(0, 1))(
    'go to projects, get versions and are shared from $app',
    async ({ app }) => {
      const { identity, name, button } = COAST[app];
      const project = `Wedding ${app}`;
      const options = { host: { app }, ...(app === 'PS' && { uxpVersion: '9.2.0' }) };
      const install = async (device: string): Promise<Photographer> =>
        Photographer.install(service, await plugins.open(join(app, device), options));
      const first = await install('first computer');
      await first.allowProjects();

      // The first photos, in a project that is new. Two presses, besides the name and the file dialog.
      // Many in one app: how many there are has nothing to do with it.
      const count = 30;
      const names = Array.from({ length: count }, (_, at) => `${app} ${String(at + 10)}.jpg`);
      const many = await writeFiles(folder, Object.fromEntries(names.map((it) => [it, 3_000])));
      expect(
        await first.pressesOf(async () => {
          await first.nameNewProject(project);
          await first.addPhotos(many.map(({ path }) => path));
        }),
      ).toHaveLength(2);

      // One is queued while paused, and is sent to a project that did not exist when it was added.
      await first.press('Pause');
      const [moved] = await writeFiles(folder, { [`Moved ${app}.jpg`]: 3_000 });
      await first.addPhotos([moved?.path ?? '']);
      await first.pressOptions(`Moved ${app}.jpg`);
      await first.press('Change destination');
      await first.type(`Portraits ${app}`);
      await first.press('Resume');
      await first.uploaded(count + 1);
      expect((await inProject(project)).map((upload) => upload.name)).toEqual(names);
      expect((await inProject(`Portraits ${app}`)).map((upload) => upload.name)).toEqual([
        `Moved ${app}.jpg`,
      ]);

      // The open document, twice: one press each, and one photo.
      const before = Buffer.from(jpeg(4_000, count + 1));
      const after = Buffer.from(jpeg(5_000, count + 2));
      COAST[app].open(first.plugin.control, before);
      await first.read('Not uploaded');
      await first.press(button);
      await first.uploaded(count + 2);
      await first.read(/^Uploaded \d\d:\d\d$/m);
      COAST[app].open(first.plugin.control, after);
      COAST[app].edit(first.plugin.control);
      // Premiere reports no changes.
      if (app !== 'premierepro') await first.read(/^Changed since \d\d:\d\d$/m);
      expect(await first.pressesOf(() => first.press(button))).toHaveLength(1);
      await first.uploaded(count + 3);
      await first.read(/^Uploaded \d\d:\d\d$/m);
      expect(await versionsOf(name, project)).toEqual([
        { name, sha256: sha256(before), current: false },
        { name, sha256: sha256(after), current: true },
      ]);

      // The link of the project, for somebody without an account.
      await first.allowLinks();
      expect(await first.pressesOf(() => first.press('Copy link'))).toHaveLength(1);
      await first.read('Copied');
      const link = first.plugin.clipboard.text;
      const client = new Client(service.baseUrl, link);
      expect([...(await client.photos()).keys()].sort()).toEqual([name, ...names].sort());
      expect(await client.digestOf(name)).toBe(sha256(after));

      // The client's answer is shown when the document comes to the front again, as it was before the approved version.
      if (app === 'PS') {
        const { photoshop, shell } = first.plugin.control;
        await client.approve(name);
        photoshop.openDocument({ name: 'Other.psd', documentId: 'xmp.did:other', bytes: {} });
        await first.read('Other.psd');
        photoshop.select('Coast.psd');
        await first.press('Approved v2 · you changed it since');
        const [current] = (await inProject(project))
          .filter((upload) => upload.name === name)
          .slice(-1);
        await first.plugin.waitFor(() =>
          shell.calls.some(({ target }) => target.endsWith(`/photos/${current?.id ?? ''}`)),
        );
      }

      // A file of the same document under another name, from another computer.
      const final = withXmp(Buffer.from(jpeg(6_000, count + 3)), `xmpMM:DocumentID="${identity}"`);
      const path = join(folder, `Final ${app}.jpg`);
      await writeFile(path, final);
      const second = await install('second computer');
      await second.allowProjects();
      await second.press(/^To/);
      await second.press(new RegExp(`^${project}`));
      await second.addPhotos([path]);
      await second.read(`1 file uploaded to ${project}`);
      // Another name is another photo.
      expect(await versionsOf(`Final ${app}.jpg`, project)).toEqual([
        { name: `Final ${app}.jpg`, sha256: sha256(final), current: true },
      ]);
      expect([...(await client.photos()).keys()].sort()).toEqual(
        [`Final ${app}.jpg`, name, ...names].sort(),
      );
      expect(await client.digestOf(`Final ${app}.jpg`)).toBe(sha256(final));

      // The link ends where it was made.
      await first.press('Share');
      await first.press('Revoke');
      await first.press('Revoke this link');
      await first.plugin.waitFor(() => !first.plugin.labels().includes('Revoke this link'));
      expect(await client.status()).toBe(404);
      for (const { plugin } of [first, second]) {
        expect(plugin.uncaught).toEqual([]);
        expect(plugin.console).toEqual([]);
        expect(plugin.findings).toEqual([]);
      }
    },
  );

  describe('without a press, in Photoshop', () => {
    const random = seededRandom(testSeed());

    /** A computer whose photographer may choose projects, and has chosen one. */
    async function computerFor(
      project: string,
    ): Promise<{ photographer: Photographer; device: Computer }> {
      const start = (options: { readonly panel?: false }): Promise<Plugin> =>
        plugins.open(project, { uxpVersion: '9.2.0', ...options });
      const plugin = await start({});
      const photographer = await Photographer.install(service, plugin);
      await photographer.allowProjects();
      await photographer.nameNewProject(project);
      const restart = (): Promise<Plugin> => start({ panel: false });
      return { photographer, device: new Computer(join(folder, project), restart, plugin) };
    }

    /** What a project has in the end, once it has so many photos. */
    async function delivered(project: string, count: number): Promise<object[]> {
      for (let look = 0; look < 600; look += 1) {
        const uploads = (await inProject(project)).filter(({ current }) => current);
        if (uploads.length >= count)
          return uploads.map(({ name, sha256: digest }) => ({ name, digest }));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${project} has not ${count} photos`);
    }

    it('uploads each document once, as it was last saved, and what is open by a command, before the panel was opened', async () => {
      const { photographer, device } = await computerFor('On save');
      await photographer.press('Account menu');
      await photographer.press('Automatic uploads');
      await photographer.press('Off');
      await photographer.press('All documents');
      await photographer.press(/Preset/);
      await photographer.press('Original');
      await device.stored('"preset":"original"');
      const plugin = await device.restart();
      const documents = ['Coast', 'Harbour', 'Island'].map((name) => new WorkingDocument(name));
      for (const document of documents) {
        document.open(plugin);
        for (let save = 0; save < 10; save += 1) document.editAndSave(plugin);
        // The copy is made before another document comes to the front.
        await plugin.waitFor(() => plugin.control.photoshop.copies.length > 0);
        plugin.control.photoshop.copies.length = 0;
      }
      expect(await delivered('On save', 3)).toEqual(
        documents.map((document) => document.exported('psd')),
      );
      // Ten saves made one copy each, and no version before it.
      expect(await inProject('On save')).toHaveLength(3);

      await plugin.invokeCommand('uploadAllDocuments');
      const prints = documents.map((document) => document.exported('jpg'));
      expect(await delivered('On save', 6)).toEqual(expect.arrayContaining(prints));
      plugin.control.photoshop.closeDocuments();
      await plugin.invokeCommand('uploadDocument');
      expect(plugin.control.photoshop.alerts).toEqual([expect.stringContaining('(CW-803)')]);
      await plugin.showPanel();
      await plugin.waitFor('CW-803');
      device.check();
    });

    it('stops an Action with a code, and delivers a batch once, to the recorded project, although Photoshop is killed', async () => {
      const { photographer, device } = await computerFor('Batch');
      const [step] = await photographer.recordStep();
      if (!step) throw new Error('no step was recorded');
      // The choices of the panel are not those of the step.
      await photographer.press('Done');
      await photographer.nameNewProject('Elsewhere');
      for (const [refused, code] of [
        [step, 'CW-803'],
        [{ ...step, info: {} }, 'CW-809'],
      ] as const) {
        await expect(device.plugin.control.photoshop.playStep(refused)).rejects.toThrow(code);
        await photographer.read(code);
      }
      const documents = Array.from(
        { length: IS_LONG ? 50 : 6 },
        (_, at) => new WorkingDocument(`Batch ${String(at + 10)}`, at % 2 === 0),
      );
      let plugin = await device.restart();
      for (const [at, document] of documents.entries()) {
        document.open(plugin);
        // Every third document, or each: Photoshop is killed while the step runs, and the photographer plays it again.
        if (IS_LONG || at % 3 === 1) {
          void plugin.control.photoshop.playStep(step);
          await new Promise((resolve) => setTimeout(resolve, random() * 500));
          plugin = await device.restart();
          document.open(plugin);
        }
        await plugin.control.photoshop.playStep(step);
        plugin.control.photoshop.close();
      }
      // The step ends when the copy is safe: what is not uploaded yet survives the next kill.
      plugin = await device.restart();
      expect(await delivered('Batch', documents.length)).toEqual(
        documents.map((document) => document.exported('jpg')),
      );
      // Played again from the start, the batch makes no second copy of what has an identity.
      documents[0]?.open(plugin);
      await plugin.control.photoshop.playStep(step);
      expect(plugin.control.photoshop.copies).toEqual([]);
      await plugin.showPanel();
      await plugin.waitFor(() => !/Waiting|Uploading/.test(plugin.text()));
      expect(await inProject('Batch')).toHaveLength(documents.length);
      expect(await inProject('Elsewhere')).toEqual([]);
      device.check();
    });

    it('takes files once each from a folder that other apps write to, although Photoshop is killed', async () => {
      const [count, changed] = IS_LONG ? [200, 40] : [16, 4];
      const exports = join(folder, 'Finished exports');
      await mkdir(exports);
      await writeFiles(exports, { 'before.jpg': 2_000 });
      const { photographer, device } = await computerFor('Exports');
      await photographer.press('Account menu');
      await photographer.press('Automatic uploads');
      await photographer.press('Choose folder');
      await pick(device.plugin, exports);
      await photographer.read('Finished exports');
      device.plugin.hurry(20);
      const restart = async (): Promise<void> => (await device.restart()).hurry(20);
      const bytesOf = (text: string): Buffer => asJpeg(Buffer.alloc(3_000, text));
      /** The digests of what has to arrive. */
      const expected: string[] = [];
      const arrived = async (): Promise<Upload[]> => {
        let uploads: Upload[] = [];
        for (let look = 0; uploads.length < expected.length && look < 3_000; look += 1) {
          uploads = await inProject('Exports');
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(uploads.map((upload) => upload.sha256).sort()).toEqual([...expected].sort());
        return uploads;
      };

      // Written slowly: a part of each, then the rest.
      const names = Array.from({ length: count }, (_, at) => `IMG_${at + 100}.jpg`);
      for (const [at, name] of names.entries()) {
        const bytes = bytesOf(name);
        await writeFile(join(exports, name), bytes.subarray(0, 1_000));
        if (at % 8 === 6) await restart();
        await writeFile(join(exports, name), bytes);
        expected.push(sha256(bytes));
      }
      await arrived();

      // Some are replaced, others renamed.
      for (const [at, name] of names.slice(0, changed).entries()) {
        if (at % 2 === 0) {
          const bytes = bytesOf(`${name} again`);
          await writeFile(join(exports, name), bytes);
          expected.push(sha256(bytes));
        } else {
          await rename(join(exports, name), join(exports, `Renamed ${name}`));
        }
        if (at % 4 === 2) await restart();
      }
      await writeFile(join(exports, 'unfinished.jpg.tmp'), bytesOf('unfinished'));
      await arrived();
      // Long enough for a look more.
      await new Promise((resolve) => setTimeout(resolve, 600));
      const uploads = await arrived();
      for (const [at, name] of names.entries()) {
        const versions = uploads.filter((upload) => upload.name === name);
        const isReplaced = at < changed && at % 2 === 0;
        expect([name, versions.length]).toEqual([name, isReplaced ? 2 : 1]);
        expect(new Set(versions.map(({ photo }) => photo)).size).toBe(1);
      }
      device.check();
    });
  });

  interface Upload {
    readonly id: string;
    readonly name: string;
    readonly sha256: string;
    readonly photo: string;
    readonly current: boolean;
    readonly project: { readonly name: string } | null;
  }

  /** All uploads of a project, the oldest first, each version by itself. */
  async function inProject(project: string): Promise<Upload[]> {
    const response = await fetch(`${service.baseUrl}/api/v1/uploads?limit=1000`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { uploads } = (await response.json()) as { uploads: Upload[] };
    return uploads
      .filter((upload) => upload.project?.name === project)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The versions of the photo that has this name now, the oldest first. */
  async function versionsOf(name: string, project: string): Promise<object[]> {
    const uploads = await inProject(project);
    const now = uploads.filter((upload) => upload.name === name && upload.current);
    expect(now).toHaveLength(1);
    return uploads
      .filter(({ photo }) => photo === now[0]?.photo)
      .map(({ name: its, sha256: digest, current }) => ({ name: its, sha256: digest, current }));
  }
});

/** Somebody at the panel, whose presses are counted. */
class Photographer {
  private readonly pressed: string[] = [];

  private constructor(
    private readonly service: TestService,
    readonly plugin: Plugin,
  ) {}

  /** Connects the plugin on a computer that has never had it. */
  static async install(service: TestService, plugin: Plugin): Promise<Photographer> {
    await connect(plugin, service);
    return new Photographer(service, plugin);
  }

  read(text: string | RegExp): Promise<string> {
    return this.plugin.waitFor(text);
  }

  async press(label: string | RegExp): Promise<void> {
    await press(this.plugin, label);
    this.pressed.push(String(label));
  }

  /** The labels pressed while `work` runs. */
  async pressesOf(work: () => Promise<void>): Promise<string[]> {
    this.pressed.length = 0;
    await work();
    return [...this.pressed];
  }

  /** Presses the control for the options of a photo in the list. */
  async pressOptions(name: string): Promise<void> {
    const { plugin } = this;
    const rows = (): Element[] =>
      Array.from(plugin.root.querySelectorAll('.photo') as ArrayLike<Element>);
    const find = (): Element | undefined =>
      rows()
        .find((row) => row.querySelector('.photo-name')?.textContent === name)
        ?.querySelector('.icon-button') ?? undefined;
    plugin.click(await plugin.waitFor(find));
  }

  /** Waits until all photos of the list are uploaded, and are so many. */
  async uploaded(count: number): Promise<void> {
    const { plugin } = this;
    const all = plugin.root.getElementsByClassName('photo-state');
    const done = plugin.root.getElementsByClassName('photo-state uploaded');
    await plugin.waitFor(() => all.length === count && done.length === count);
  }

  /** Types into the open list of projects, and presses Enter. */
  async type(text: string): Promise<void> {
    const { plugin } = this;
    await plugin.waitFor(() => plugin.root.querySelector('.search') !== null);
    plugin.type('.search', text);
    await this.read(`Create “${text}”`);
    plugin.key('.search', 'Enter');
    await plugin.waitFor(() => plugin.root.querySelector('.search') === null);
  }

  async nameNewProject(name: string): Promise<void> {
    await this.press(/^To/);
    await this.type(name);
    await this.read(name);
  }

  /** Records an Action with one step: the upload as the panel is set. */
  async recordStep(): Promise<readonly RecordedStep[]> {
    const steps = this.plugin.control.photoshop.recordAction();
    await this.press('Account menu');
    await this.press('Automatic uploads');
    await this.press('Record as Action step');
    await this.read('Step recorded');
    return steps;
  }

  async addPhotos(paths: readonly string[]): Promise<void> {
    await addPhotos(this.plugin, ...paths);
    this.pressed.push('Add photos');
  }

  /** Allows the plugin to choose projects: once for each installation. */
  async allowProjects(): Promise<void> {
    await this.press(/^To/);
    await this.press('Open browser');
    await allow(this.plugin, this.service);
  }

  /** Allows the plugin to create links. */
  async allowLinks(): Promise<void> {
    await this.press('Share');
    await this.press('Open browser');
    await allow(this.plugin, this.service);
    await this.press('Done');
  }
}

/** Somebody who has a link, and no account. */
class Client {
  private readonly browser: TestBrowser;

  constructor(
    private readonly baseUrl: string,
    private readonly link: string,
  ) {
    this.browser = new TestBrowser(baseUrl);
  }

  async status(): Promise<number> {
    return (await this.browser.open(this.link)).status;
  }

  /** The pages of the photos, by their names. */
  async photos(): Promise<Map<string, string>> {
    const { status, markup } = await this.browser.open(this.link);
    expect(status).toBe(200);
    const tiles = markup.matchAll(/data-name="([^"]+)"[^>]*>\s*<a href="([^"]+)" class="picture"/g);
    return new Map([...tiles].map(([, name = '', path = '']) => [name, path]));
  }

  async approve(name: string): Promise<void> {
    await this.browser.open((await this.photos()).get(name) ?? '');
    await this.browser.submit('Approve');
    await this.browser.submit('Continue', { name: 'Mia' });
  }

  async digestOf(name: string): Promise<string> {
    const { markup } = await this.browser.open((await this.photos()).get(name) ?? '');
    const [, path = ''] = /href="([^"]+)"\s+aria-label="Download"/.exec(markup) ?? [];
    const response = await fetch(new URL(path, this.baseUrl));
    expect(response.status).toBe(200);
    return sha256(new Uint8Array(await response.arrayBuffer()));
  }
}
