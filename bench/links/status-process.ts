/** Opens a document with many links in the plugin, looks for newer versions, and sends the milliseconds. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { writeFileIdentity } from '../../src/host/placed-identity.js';
import { answersTask } from '../forked.js';
import type { TaskOnLine } from '../plugin-on-lines.js';
import { openSignedIn, until } from '../signed-in-plugin.js';

export interface StatusTask extends TaskOnLine<'plugin'> {
  /** The uploads that are placed. */
  readonly links: readonly { readonly id: string; readonly sha256: string }[];
}

export interface StatusTimes {
  /** From opening the document to the line with the newer versions. */
  readonly openMs: number;
  /** From a press on Check now to its end. */
  readonly checkMs: number;
}

const LABEL = 'creative-workspace';

answersTask(run);

async function run({
  dist,
  folder,
  baseUrl,
  accessToken,
  links,
}: StatusTask): Promise<StatusTimes> {
  await mkdir(folder);
  const path = join(folder, 'Picture.jpg');
  await writeFile(path, 'a picture');
  const { size, mtimeMs } = await stat(path);
  const plugin = await openSignedIn({
    ...{ dist, storageDir: join(folder, 'storage'), app: 'ID', uxpVersion: '9.2.1', accessToken },
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
