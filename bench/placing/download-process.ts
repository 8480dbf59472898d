/** Downloads a file once, in one of two ways, and sends the milliseconds. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { openPlugin } from '../../test/host/host.js';
import { hostApp, storageOf } from '../../test/host/manifest.js';
import { leaveSession } from '../signed-in-storage.js';

export interface DownloadTask {
  /** The plugin in its host, or one request whose bytes go to a file as they come. */
  readonly way: 'bare' | 'plugin';
  /** The plugin, built for the address below. */
  readonly dist: string;
  /** Empty. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Id and name of the upload. */
  readonly id: string;
  readonly name: string;
}

export interface DownloadTimes {
  readonly ms: number;
  /** How much the resident memory of the process grew at most. Bytes. */
  readonly grownBytes: number;
}

const UXP = '9.2.0';
const LOOK_EVERY_MS = 5;
/** To read the memory costs more. */
const LOOK_AT_MEMORY_EVERY_MS = 50;

process.once('message', (message) => {
  run(message as DownloadTask).then(
    (times) => process.send?.(times),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

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
  const storageDir = join(folder, 'storage');
  const pictures = join(folder, 'pictures');
  await mkdir(pictures, { recursive: true });
  await leaveSession(storageOf(storageDir, hostApp('PS', UXP)), UXP, accessToken);
  const plugin = await openPlugin({ dist, storageDir, uxpVersion: UXP, allowLoopbackHttp: true });
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
    await until(() => pickers.open > 0);
    pickers.answer([pictures]);
    await until(() => photoshop.historyNames().length > 0).catch((error: unknown) => {
      throw new Error(plugin.text(), { cause: error });
    });
  };
}

async function until(isThere: () => boolean): Promise<void> {
  const deadline = performance.now() + 600_000;
  while (!isThere()) {
    if (performance.now() > deadline) {
      throw new Error('the file was not placed');
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
