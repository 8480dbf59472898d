import { expect } from '@jest/globals';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import { randomId } from '../../../src/util/random-id.js';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import { PhotoStore, type PhotoStoreOptions } from '../../../src/features/queue/photo-store.js';
import type { UploadSummary } from '../../../src/features/queue/upload-item.js';
import { UploadQueue, type QueuedPhoto } from '../../../src/features/queue/upload-queue.js';
import { FakeClock } from '../../support/fake-clock.js';
import {
  memoryPhoto,
  memoryRecords,
  memorySpool,
  MemoryStorage,
} from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';

/** A queue with its store, and a way to add one photo as the importer does. */
export class List extends UploadQueue {
  readonly store: PhotoStore;

  constructor(options: PhotoStoreOptions, checksForDuplicates = false) {
    const photoStore = new PhotoStore(options);
    super({ photoStore, checksForDuplicates });
    this.store = photoStore;
  }

  enqueue(photo: PhotoSource): Promise<void> {
    return enqueue(this, this.store, photo);
  }
}

/** Makes a photo safe and puts it at the end of the list. One that finds no room is taken back. */
export async function enqueue(
  queue: UploadQueue,
  store: PhotoStore,
  photo: PhotoSource,
): Promise<void> {
  const copied = await store.copy(store.pick(photo), NEVER_CANCELLED);
  try {
    await queue.add(copied);
  } catch (error) {
    if (error instanceof CwError && error.code === 'CW-703') await store.takeBack(copied.id);
    throw error;
  }
}

/** Lists over one storage that outlives them. */
export class ListFixture {
  readonly storage = new MemoryStorage();
  readonly clock = new FakeClock();
  private runs = 0;
  private readonly found = new Set<string>();

  constructor(private readonly checksForDuplicates = false) {}

  /** A list over the storage as it is: the first is a first start, each further one a restart. */
  newList(): List {
    this.storage.heal();
    this.runs += 1;
    const bytes = seededBytes(this.runs);
    const options = {
      records: memoryRecords(this.storage),
      spool: memorySpool(this.storage),
      now: () => this.clock.now(),
      newId: () => randomId(bytes),
    };
    return new List(options, this.checksForDuplicates);
  }

  async restarted(): Promise<List> {
    const list = this.newList();
    await list.load();
    await list.store.clearEarlier();
    await list.store.clearIncoming();
    return list;
  }

  photo(name: string, size = 10): ReturnType<typeof memoryPhoto> {
    return memoryPhoto(this.storage, name, new Uint8Array(size).fill(7));
  }

  async filled(...photoNames: string[]): Promise<List> {
    const list = this.newList();
    await list.load();
    for (const name of photoNames) await list.enqueue(this.photo(name));
    return list;
  }

  /** Keys of photos' records; notes of removals have other keys. */
  photoKeys(): string[] {
    return [...this.storage.records.keys()]
      .filter((key) => !/^(removal|uploaded)-/.test(key))
      .sort();
  }

  /** Each record has its copy, and each copy its record or it is found. */
  async expectWholeEntries(list: List): Promise<void> {
    const found = (await list.store.findOrphans()).map(({ id }) => id);
    for (const id of found) {
      this.found.add(id);
    }
    const copies = [...this.storage.spool.keys()].filter((id) => !this.found.has(id));
    expect(copies.sort()).toEqual(this.photoKeys());
  }
}

export function all(list: List): readonly QueuedPhoto[] {
  return list.slice(0, Number.MAX_SAFE_INTEGER);
}

export function names(list: List): string[] {
  return all(list).map((item) => item.record.name);
}

export function idOf(list: List, name: string): string {
  const item = all(list).find(({ record }) => record.name === name);
  if (!item) throw new Error(`${name} is not in the list`);
  return item.record.id;
}

/** The expected summary, counted from scratch. */
export function counted(list: List): UploadSummary {
  const summary = { waiting: 0, uploading: 0, uploaded: 0, failed: 0, totalBytes: 0, sentBytes: 0 };
  for (const item of all(list)) {
    summary[item.phase] += 1;
    summary.totalBytes += item.record.size;
    summary.sentBytes += item.sentBytes;
  }
  return summary;
}

export async function finish(list: List, id: string): Promise<void> {
  list.finish(id);
  await list.store.clearUploaded();
}
