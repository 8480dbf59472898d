/** Measures one length of the queue and prints it as JSON: folder and number of photos are the arguments. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { randomId } from '../../src/base/random-id.js';
import { UploadList } from '../../src/uploads/upload-list.js';
import { writeRecord, type PhotoRecord } from '../../src/uploads/photo-record.js';
import { median } from '../statistics.js';
import { openUxpHost } from './uxp-host.js';

export interface QueueCosts {
  readonly count: number;
  /** Microseconds to enqueue one photo, the copy and the record on disk included. */
  readonly enqueueUs: number;
  /** Microseconds of the whole restore, divided by the photos. */
  readonly restoreUs: number;
  /**
   * Microseconds to begin an upload, report its progress, let it fail and put it back to the end, without
   * the disk. Each time another photo: V8's Map grows slow when one key leaves and enters again and again.
   */
  readonly changeUs: number;
  /** Microseconds to put a photo first, on disk too. */
  readonly durableChangeUs: number;
  /** Bytes of heap the restored list takes. */
  readonly heapBytes: number;
}

const CHANGES = 2_000;
const DURABLE_CHANGES = 100;

const [folder = '', given = ''] = process.argv.slice(2);
const count = Number(given);
const storage = mkdtempSync(join(folder, 'queue-'));
const photoPath = join(storage, 'photo.jpg');
writeFileSync(photoPath, Buffer.alloc(1_000, 7));

const first = openUxpHost(join(storage, 'host'));
first.pick(photoPath);
const [photo] = await first.host.pickPhotos();
if (!photo) {
  throw new Error('the picker gave nothing');
}
const filled = listOf(first.host);
await filled.load();
const times: number[] = [];
for (let index = 0; index < count; index += 1) {
  times.push(await timed(() => filled.enqueue(photo)));
}
first.end();

const before = heap();
const second = openUxpHost(join(storage, 'host'));
const list = listOf(second.host);
const restoreMs = await timed(() => list.load());
const heapBytes = heap() - before;

const changeUs = await measureChanges(list.slice(0, count).map(({ record }) => record));
const middle = list.slice(Math.floor(count / 2), 1)[0]?.record.id ?? '';
const durable: number[] = [];
for (let index = 0; index < DURABLE_CHANGES; index += 1) {
  durable.push(await timed(() => list.makeNext(middle)));
}
second.end();

const costs: QueueCosts = {
  count,
  // Of the last tenth, when the list is as long as it gets.
  enqueueUs: median(times.slice(-Math.max(10, count / 10))) * 1000,
  restoreUs: (restoreMs * 1000) / count,
  changeUs,
  durableChangeUs: median(durable) * 1000,
  heapBytes,
};
process.stdout.write(`${JSON.stringify(costs)}\n`);
process.exit();

async function measureChanges(records: readonly PhotoRecord[]): Promise<number> {
  const done = Promise.resolve();
  const stored = new Map(records.map((record) => [record.id, writeRecord(record)]));
  const inMemory = new UploadList({
    records: {
      load: () => Promise.resolve(stored),
      put: () => done,
      remove: () => done,
      isOurs: () => Promise.resolve(true),
    },
    spool: {
      open: () => Promise.reject(new Error('no photo is read')),
      size: () => Promise.resolve(0),
      remove: () => Promise.resolve([]),
      list: () => Promise.resolve([]),
      listIncoming: () => Promise.resolve([]),
      removeIncoming: () => done,
    },
    now: () => 0,
    newId: () => '',
  });
  await inMemory.load();
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    for (let index = 0; index < CHANGES; index += 1) {
      const item = inMemory.takeNext();
      if (!item) {
        throw new Error('nothing waits');
      }
      const { id } = item.record;
      inMemory.progress(id, 500, 0);
      await inMemory.fail(id, 'CW-603');
      await inMemory.retry(id);
    }
    rounds.push(((performance.now() - started) / CHANGES) * 1000);
  }
  return median(rounds);
}

function listOf(host: ReturnType<typeof openUxpHost>['host']): UploadList {
  return new UploadList({
    records: host.records,
    spool: host.spool,
    now: () => Date.now(),
    newId: () => randomId(host.randomBytes),
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
