/** Opens a document with many links in the plugin, looks for newer versions, and sends the milliseconds. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { hosts } from '../../build/hosts.js';
import { writeFileIdentity } from '../../src/host/placed-identity.js';
import { openPlugin, type Plugin } from '../../test/host/host.js';
import { storageOf } from '../../test/host/manifest.js';
import { leaveSession } from '../signed-in-storage.js';

export interface StatusTask {
  /** The plugin, built for InDesign and for the address below. */
  readonly dist: string;
  /** Empty. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly accessToken: string;
  /** The uploads that are placed. */
  readonly links: readonly { readonly id: string; readonly sha256: string }[];
}

export interface StatusTimes {
  /** From opening the document to the line with the newer versions. */
  readonly openMs: number;
  /** From a press on Check now to its end. */
  readonly checkMs: number;
}

const UXP = '9.2.0';
const LOOK_EVERY_MS = 5;
const LABEL = 'creative-workspace';

process.once('message', (message) => {
  run(message as StatusTask).then(
    (times) => process.send?.(times),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function run({
  dist,
  folder,
  baseUrl,
  accessToken,
  links,
}: StatusTask): Promise<StatusTimes> {
  const storageDir = join(folder, 'storage');
  await mkdir(storageDir, { recursive: true });
  const version = hosts.find(({ app }) => app === 'ID')?.minVersion ?? '';
  await leaveSession(storageOf(storageDir, { app: 'ID', version }), UXP, accessToken);
  const path = join(folder, 'Picture.jpg');
  await writeFile(path, 'a picture');
  const { size, mtimeMs } = await stat(path);
  const plugin = await openPlugin({
    ...{ dist, storageDir, uxpVersion: UXP, allowLoopbackHttp: true },
    host: { app: 'ID', version },
  });
  const { indesign } = plugin.control;
  await plugin.waitFor('Browse files');
  indesign.enumerations = 'numbers';
  indesign.openDocument({
    ...{ name: 'Catalogue.indd', documentId: 'xmp.did:1', pages: ['1'], bytes: {} },
  });
  const began = performance.now();
  for (const [index, { id, sha256 }] of links.entries()) {
    const identity = { origin: baseUrl, uploadId: id, sha256, size: 'original' as const };
    const labels = { [LABEL]: writeFileIdentity({ name: basename(path) }, identity) };
    const link = { id: 1000 + index, path, stamp: `${size} ${mtimeMs}`, labels };
    indesign.drawPicture({ id: index + 1, link });
  }
  await until(plugin, () => plugin.text().includes('newer version'));
  const openMs = performance.now() - began;
  plugin.click(/newer version/);
  // Opening the list looks, too.
  const looks = (count: number): boolean =>
    plugin.requests.filter(({ url, status }) => url.endsWith('/photos/status') && status === 200)
      .length >= count && plugin.text().includes('Checked ');
  await until(plugin, () => looks(2));
  const pressed = performance.now();
  plugin.click('Check now');
  await until(plugin, () => looks(3));
  return { openMs, checkMs: performance.now() - pressed };
}

async function until(plugin: Plugin, isThere: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!isThere()) {
    if (performance.now() > deadline) {
      throw new Error(`the panel shows: ${plugin.text()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
