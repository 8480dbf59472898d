/** Downloads a file once, in one of two ways, and sends the milliseconds. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { answersTask } from '../forked.js';
import type { TaskOnLine } from '../plugin-on-lines.js';
import { openSignedIn, until } from '../signed-in-plugin.js';

/** The plugin in its host, or one request whose bytes go to a file as they come. */
export type Way = 'bare' | 'plugin';

export interface DownloadTask extends TaskOnLine<Way> {
  /** Id and name of the upload. */
  readonly id: string;
  readonly name: string;
}

export interface DownloadTimes {
  readonly ms: number;
  /** How much the resident memory of the process grew at most. Bytes. */
  readonly grownBytes: number;
}

/** To read the memory costs more. */
const LOOK_AT_MEMORY_EVERY_MS = 50;

answersTask(run);

async function run(task: DownloadTask): Promise<DownloadTimes> {
  const start = task.way === 'bare' ? await prepareBare(task) : await preparePlugin(task);
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, LOOK_AT_MEMORY_EVERY_MS);
  const began = performance.now();
  await start();
  const ms = performance.now() - began;
  clearInterval(timer);
  return { ms, grownBytes: most - before };
}

async function prepareBare(task: DownloadTask): Promise<() => Promise<void>> {
  const { folder, baseUrl, accessToken, id, name } = task;
  await mkdir(folder, { recursive: true });
  return async () => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${baseUrl}/api/v1/uploads/${id}/content`, {
        headers: { authorization: `Bearer ${accessToken}` },
        agent: false,
      })
        .once('response', resolve)
        .once('error', reject)
        .end();
    });
    if (response.statusCode !== 200) {
      throw new Error(`the service answered ${response.statusCode ?? ''}`);
    }
    await pipeline(response, createWriteStream(join(folder, name)));
  };
}

/** Opens the panel at the file. Its placing is done when Photoshop has made the step. */
async function preparePlugin(task: DownloadTask): Promise<() => Promise<void>> {
  const { dist, folder, accessToken, name } = task;
  const pictures = join(folder, 'pictures');
  await mkdir(pictures, { recursive: true });
  const plugin = await openSignedIn({
    ...{ dist, storageDir: join(folder, 'storage'), app: 'PS', uxpVersion: '9.2.0', accessToken },
  });
  const { photoshop, pickers } = plugin.control;
  photoshop.placesFiles = true;
  photoshop.openDocument({ name: 'Poster.psd', documentId: 'xmp.did:1', bytes: {} });
  await plugin.waitFor('Browse files');
  plugin.click('Browse files');
  await plugin.waitFor(() => plugin.labels().includes(name));
  plugin.click(name);
  await plugin.waitFor(() => plugin.labels().includes('Place'));
  return async () => {
    plugin.click('Place');
    await until(plugin, () => pickers.open > 0);
    pickers.answer([pictures]);
    await until(plugin, () => photoshop.historyNames().length > 0);
  };
}
