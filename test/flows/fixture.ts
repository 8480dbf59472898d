import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from '@jest/globals';

import { hosts, type HostApp } from '../../build/hosts.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type OpenPluginOptions, type Plugin } from '../host/host.js';
import type { HostControl } from '../host/modules/index.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { approveDevice, TestBrowser } from '../service/support/browser-client.js';
import type { TestService } from '../service/support/running-service.js';
import { jpeg } from '../service/support/tus-client.js';

/** The UXP of the oldest version of each app that the plugin is for. */
const OLDEST_UXP: Readonly<Record<string, string>> = {
  PS: '8.4.0',
  ID: '9.0.3',
  premierepro: '9.2.1',
} satisfies Record<HostApp['app'], string>;

/** The built plugin in the simulated host. */
interface Plugins {
  /** For the files of the tests; removed after them. Each storage is a folder in it. */
  readonly folder: string;
  /**
   * Opens the plugin, which is killed after the test. The same storage again is a restart.
   * @param options without a version: the oldest UXP of the app
   */
  open(storage: string, options?: Partial<OpenPluginOptions>): Promise<Plugin>;
}

/** @param baseUrl where the plugin has its service; read when a plugin is opened */
export function usePlugins(baseUrl: () => string): Plugins {
  const folder = mkdtempSync(join(tmpdir(), 'flows-'));
  const opened: Plugin[] = [];
  afterEach(() => {
    for (const plugin of opened.splice(0)) plugin.kill();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    async open(storage, options) {
      const app = options?.host?.app ?? 'PS';
      const dist = join(folder, `dist ${app} ${new URL(baseUrl()).port}`);
      if (!existsSync(dist))
        await buildPlugin(
          baseUrl(),
          dist,
          hosts.find((host) => host.app === app),
        );
      const plugin = await openPlugin({
        ...{ dist, storageDir: join(folder, storage), uxpVersion: OLDEST_UXP[app] ?? '' },
        ...{ allowLoopbackHttp: true, ...options },
      });
      opened.push(plugin);
      return plugin;
    },
  };
}

/** Presses a control as soon as there is one with that label. */
export async function press(plugin: Plugin, label: string | RegExp): Promise<void> {
  const isMeant = (it: string): boolean =>
    typeof label === 'string' ? it === label : label.test(it);
  await plugin.waitFor(() => plugin.labels().some(isMeant));
  plugin.click(label);
}

/** Answers the next file dialog. */
export async function pick(plugin: Plugin, ...paths: readonly string[]): Promise<void> {
  const { pickers } = plugin.control;
  await plugin.waitFor(() => pickers.open > 0);
  pickers.answer([...paths]);
}

export async function addPhotos(plugin: Plugin, ...paths: readonly string[]): Promise<void> {
  await press(plugin, 'Add photos');
  await pick(plugin, ...paths);
}

/** The code that the panel shows for the browser. */
export async function codeIn(plugin: Plugin): Promise<string> {
  await plugin.waitFor('Your code');
  const code = plugin.root.querySelector('#user-code')?.textContent ?? '';
  expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  return code;
}

/** Begins the first sign-in. @returns the code */
export async function askForCode(plugin: Plugin): Promise<string> {
  await plugin.waitFor('Connect once.');
  await press(plugin, 'Connect');
  return codeIn(plugin);
}

/** The demo user allows what the panel shows a code for. */
export async function allow(plugin: Plugin, { baseUrl, demo }: TestService): Promise<void> {
  await approveDevice(baseUrl, await codeIn(plugin), demo);
  await plugin.waitFor(() => !plugin.text().includes('Your code'));
}

export async function connect(plugin: Plugin, { baseUrl, demo }: TestService): Promise<void> {
  await approveDevice(baseUrl, await askForCode(plugin), demo);
  await plugin.waitFor('Connected');
}

/** The newest access token that the plugin has used. */
export function lastToken(plugin: Plugin): string {
  const headers = plugin.requests.map(({ headers }) => headers['authorization'] ?? '');
  const token = headers.map((header) => /^Bearer (svc_at_.+)$/.exec(header)?.[1]).findLast(Boolean);
  if (token === undefined) throw new Error('no request bore an access token');
  return token;
}

/** Waits until the plugin has revoked a token. */
export async function revocation(plugin: Plugin): Promise<void> {
  await plugin.waitFor(() =>
    plugin.requests.some(({ url, status }) => url.endsWith('/oauth/revoke') && status === 200),
  );
}

/** The document of each app. Premiere reports no changes. */
export const COAST: Readonly<
  Record<
    HostApp['app'],
    {
      readonly button: string;
      /** Name and identity of the file that is uploaded. */
      readonly name: string;
      readonly identity: string;
      /** @param bytes of that file */
      open(control: HostControl, bytes?: Uint8Array): void;
      edit(control: HostControl): void;
    }
  >
> = {
  PS: {
    ...{ button: 'Upload this document', name: 'Coast.jpg', identity: 'xmp.did:coast-photo' },
    open({ photoshop }, jpg = jpeg(500)) {
      const documentId = this.identity;
      const size = { width: 1000, height: 500 };
      photoshop.openDocument({ name: 'Coast.psd', documentId, ...size, bytes: { jpg } });
    },
    edit({ photoshop }) {
      photoshop.edit();
    },
  },
  ID: {
    ...{ button: 'Upload this document', name: 'Coast.pdf', identity: 'xmp.did:coast-layout' },
    open({ indesign }, pdf = Buffer.from('%PDF-1.4 coast')) {
      const documentId = this.identity;
      indesign.openDocument({ name: 'Coast.indd', documentId, pages: ['1'], bytes: { pdf } });
    },
    edit({ indesign }) {
      indesign.edit();
    },
  },
  premierepro: {
    ...{ button: 'Upload this frame', name: 'Coast 00-00-05.00.jpg' },
    identity: 'premiere:0f4d7a52-8c6e-4c0a-9b4f-2d1e3f4a5b6c#00-00-05.00',
    open({ premiere }, jpg = jpeg(500)) {
      const guid = this.identity.slice('premiere:'.length, this.identity.indexOf('#'));
      const markers = [{ name: 'Title', ticks: '0', comments: 'mine' }];
      premiere.openProject({ name: 'Coast', guid, seconds: 5, bytes: { jpg }, markers });
    },
    edit: () => undefined,
  },
};

/** A guest at the page of the newest upload, by a link to it. */
export async function guestAtNewest(
  service: TestService,
): Promise<{ readonly guest: TestBrowser; readonly id: string }> {
  const [upload] = await service.database.query<{ id: string }>(
    'SELECT id FROM uploads ORDER BY created_at DESC LIMIT 1',
  );
  const id = upload?.id ?? '';
  const link = await shareAs(service, service.demo, { photo: id });
  const guest = new TestBrowser(service.baseUrl);
  await guest.open(`${link}/photo?photo=${id}`);
  return { guest, id };
}
