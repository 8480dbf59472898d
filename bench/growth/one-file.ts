/** Uploads one sparse file and prints the peak of memory as JSON: folder and size are the arguments. */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { SECRET_KEYS, writeSession } from '../../src/oauth/stored-tokens.js';
import { createPlugin } from '../../src/plugin.js';
import { createClient } from '../../src/settings.js';
import { writeRecord } from '../../src/uploads/photo-record.js';
import { NodeXhr } from '../../test/support/node-xhr.js';
import { openUxpHost } from './uxp-host.js';

export interface FileMemory {
  readonly size: number;
  /** Peak of resident memory above the idle plugin, bytes. */
  readonly peakBytes: number;
  /** Peak of buffers outside the heap above the idle plugin, bytes. */
  readonly bufferBytes: number;
  readonly seconds: number;
}

const SAMPLE_EVERY_MS = 10;
const ID = '0'.repeat(32);

const [folder = '', given = ''] = process.argv.slice(2);
const size = Number(given);
const storage = mkdtempSync(join(folder, 'file-'));
const service = fork(join(import.meta.dirname, 'counting-service.ts'), {
  execArgv: ['--import', 'tsx'],
});
const port = await new Promise<number>((resolve) => {
  service.once('message', (message) => {
    resolve(Number(message));
  });
});

const { host } = openUxpHost(storage, () => new NodeXhr());
const now = Date.now();
await host.secrets.set(
  SECRET_KEYS.session,
  writeSession({
    accessToken: 'svc_at_1',
    refreshToken: null,
    obtainedAt: now,
    expiresAt: now + 3_600_000,
  }),
);
const plugin = createPlugin(host, {
  client: createClient(`http://localhost:${port}`, 'plugin', 'uploads:write'),
  pluginVersion: '0.0.0',
  concurrency: 3,
  chunkBytes: 8 * 1024 * 1024,
});
// As a photo that an earlier run left: its copy is in the spool, its record in the journal.
const spool = join(storage, 'data', 'spool');
mkdirSync(spool, { recursive: true });
writeFileSync(join(spool, ID), '');
truncateSync(join(spool, ID), size);
const record = {
  id: ID,
  name: 'photo.jpg',
  type: 'image/jpeg',
  size,
  position: 0,
  priority: 0,
  queuedAt: now,
  uploadUrl: null,
  failure: null,
};
plugin.intents.pause();
await host.records.load();
await host.records.put(ID, writeRecord(record));
await plugin.restore();
globalThis.gc?.();
await new Promise((resolve) => setTimeout(resolve, 200));

const idle = process.memoryUsage();
let peakBytes = 0;
let bufferBytes = 0;
const look = (): void => {
  const seen = process.memoryUsage();
  peakBytes = Math.max(peakBytes, seen.rss - idle.rss);
  bufferBytes = Math.max(bufferBytes, seen.arrayBuffers - idle.arrayBuffers);
};
const timer = setInterval(look, SAMPLE_EVERY_MS);
const started = performance.now();
plugin.intents.resume();
await new Promise<void>((resolve, reject) => {
  plugin.sources.summary.subscribe(({ uploaded, failed }) => {
    if (failed > 0) {
      reject(new Error('the upload failed'));
    }
    if (uploaded === 1) {
      resolve();
    }
  });
});
look();
clearInterval(timer);
const memory: FileMemory = {
  size,
  peakBytes,
  bufferBytes,
  seconds: (performance.now() - started) / 1000,
};
process.stdout.write(`${JSON.stringify(memory)}\n`);
process.exit();
