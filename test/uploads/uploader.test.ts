import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RequestQueue } from '../../src/api/request-queue.js';
import { CwError } from '../../src/base/errors.js';
import { randomId } from '../../src/base/random-id.js';
import type { PhotoSource } from '../../src/host/host.js';
import { Uploader } from '../../src/uploads/uploader.js';
import { UploadList } from '../../src/uploads/upload-list.js';
import { signedInSession, testClient } from '../api/signed-in.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { knownToDo } from '../support/capabilities.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryPhoto, memoryRecords, memorySpool, MemoryStorage } from '../support/memory-host.js';
import { seededBytes, seededRandom } from '../support/seeded-random.js';

const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;
const CHUNK_BYTES = 10;
const unreachable = new CwError('CW-301', 'unreachable');

let clock: FakeClock;
let storage: MemoryStorage;
let network: Conversation;
let service: TusService;
let list: UploadList;
let uploader: Uploader;
let connected: boolean;
let runs = 0;

/** The least of a tus service: what it holds by address, and sound answers. Tests decide when it answers. */
class TusService {
  readonly uploads = new Map<string, { id: string; size: number; bytes: number[] }>();

  private made = 0;

  answer(exchange: PendingExchange): void {
    const { method, url, headers, body } = exchange.request;
    const bytes = body instanceof ArrayBuffer ? [...new Uint8Array(body)] : [];
    if (method === 'POST') {
      const id = clientUploadIdOf(headers['Upload-Metadata']) ?? '';
      const known = [...this.uploads].find(([, upload]) => upload.id === id);
      const address = known?.[0] ?? `${ENDPOINT}/u-${(this.made += 1)}`;
      const upload = known?.[1] ?? { id, size: Number(headers['Upload-Length']), bytes };
      this.uploads.set(address, upload);
      exchange.respond(201, { Location: address, 'Upload-Offset': String(upload.bytes.length) });
      return;
    }
    const upload = this.uploads.get(url);
    if (!upload) {
      exchange.respond(404);
    } else if (method === 'HEAD') {
      exchange.respond(200, {
        'Upload-Offset': String(upload.bytes.length),
        'Upload-Length': String(upload.size),
      });
    } else if (method === 'PATCH') {
      if (Number(headers['Upload-Offset']) !== upload.bytes.length) {
        exchange.respond(409);
        return;
      }
      upload.bytes.push(...bytes);
      exchange.respond(204, { 'Upload-Offset': String(upload.bytes.length) });
    } else {
      this.uploads.delete(url);
      exchange.respond(204);
    }
  }

  /** The photo a request is about, by its client_upload_id; null for requests about none. */
  photoOf({ request: { url, headers } }: PendingExchange): string | null {
    return clientUploadIdOf(headers['Upload-Metadata']) ?? this.uploads.get(url)?.id ?? null;
  }

  /** Finished uploads as texts of their bytes. */
  get arrived(): string[] {
    return [...this.uploads.values()]
      .filter(({ size, bytes }) => bytes.length === size)
      .map(({ bytes }) => Buffer.from(bytes).toString());
  }
}

function clientUploadIdOf(metadata: string | undefined): string | null {
  const pair = metadata?.split(',').find((text) => text.startsWith('client_upload_id '));
  return pair === undefined ? null : Buffer.from(pair.split(' ')[1] ?? '', 'base64').toString();
}

async function start({ concurrency = 2, isStreamed = false } = {}): Promise<void> {
  runs += 1;
  storage.heal();
  network = new Conversation();
  const session = await signedInSession({ send: network.send, client: testClient(BASE), clock });
  const queue = new RequestQueue({ send: network.send, session, clock, random: () => 0 });
  const spool = { ...memorySpool(storage), isStreamed };
  const bytes = seededBytes(runs);
  const records = memoryRecords(storage);
  list = new UploadList({
    records,
    spool,
    now: () => clock.now(),
    newId: () => randomId(bytes),
  });
  uploader = new Uploader({
    list,
    queue,
    records,
    spool,
    clock,
    random: () => 0,
    capabilities: knownToDo(),
    endpoint: ENDPOINT,
    chunkBytes: CHUNK_BYTES,
    concurrency,
    isConnected: () => connected,
    doubtAbout: () => null,
  });
}

beforeEach(async () => {
  clock = new FakeClock();
  storage = new MemoryStorage();
  service = new TusService();
  connected = true;
  await start();
});

/** A photo whose bytes are its text. */
function photo(text: string): PhotoSource {
  return memoryPhoto(storage, `${text}.jpg`, new Uint8Array(Buffer.from(text)));
}

function phases(): string[] {
  return list
    .slice(0, 100)
    .map(({ record, phase }) => `${record.name.replace('.jpg', '')} ${phase}`);
}

function idOf(text: string): string {
  const item = list.slice(0, 100).find(({ record }) => record.name === `${text}.jpg`);
  if (!item) throw new Error(`${text} is not in the list`);
  return item.record.id;
}

async function add(...texts: string[]): Promise<void> {
  await uploader.addPhotos(texts.map(photo));
  await clock.settle();
}

/** Answers everything on the wire until nothing is left to answer. */
async function answerAll(): Promise<void> {
  await clock.settle();
  while (network.open.length > 0) {
    for (const exchange of network.open) service.answer(exchange);
    await clock.settle();
  }
}

describe('uploading', () => {
  it('brings every photo to the service, byte for byte, and leaves nothing behind', async () => {
    await add('one', 'a photo of several chunks', 'three');
    await answerAll();
    expect(phases()).toEqual([
      'one uploaded',
      'a photo of several chunks uploaded',
      'three uploaded',
    ]);
    expect(service.arrived).toEqual(['one', 'a photo of several chunks', 'three']);
    expect(storage.records.size + storage.spool.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('gets one photo more ready where copies are streamed, which goes as soon as there is a place', async () => {
    await start({ concurrency: 3, isStreamed: true });
    await add('a', 'b', 'c', 'd', 'e');
    expect(phases().slice(3)).toEqual(['d uploading', 'e waiting']);
    expect(network.open).toHaveLength(3);
    storage.log.length = 0;
    const [first] = network.open;
    if (first) service.answer(first);
    await clock.settle();
    expect(network.open).toHaveLength(3);
    expect(storage.log).not.toContain(`spool.open ${idOf('d')}`);
    await answerAll();
    expect(service.arrived).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('clears photos that arrive within half a second away in one step, and the last one at once', async () => {
    await add('a', 'b', 'c', 'd', 'e');
    const removals = (): string[] =>
      storage.log.filter((line) => line.startsWith('records.remove'));
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(idOf);
    for (const exchange of network.open.slice(0, 2)) service.answer(exchange);
    await clock.advance(499);
    expect(removals()).toEqual([]);
    await clock.advance(1);
    expect(removals()).toEqual([`records.remove ${a} ${b}`]);
    expect([...storage.spool.keys()]).toEqual([c, d, e]);
    await answerAll();
    expect(removals()).toEqual([`records.remove ${a} ${b}`, `records.remove ${c} ${d} ${e}`]);
    expect(storage.records.size + storage.spool.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('never has more photos under way than it may, and takes them in their order', async () => {
    await start({ concurrency: 3 });
    await add('a', 'b', 'c', 'd', 'e');
    expect(phases()).toEqual([
      'a uploading',
      'b uploading',
      'c uploading',
      'd waiting',
      'e waiting',
    ]);
    expect(network.open).toHaveLength(3);
    const [first] = network.open;
    if (first) service.answer(first);
    await clock.settle();
    expect(phases()).toEqual([
      'a uploaded',
      'b uploading',
      'c uploading',
      'd uploading',
      'e waiting',
    ]);
    await answerAll();
    expect(service.arrived).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('does not wait until an upload is cleared away before it begins the next', async () => {
    await start({ concurrency: 1 });
    await add('one', 'two');
    const [first] = network.open;
    if (!first) throw new Error('nothing is on the wire');
    // The disk answers nothing any more.
    storage.dieAfter(0);
    service.answer(first);
    await clock.settle();
    expect(phases()).toEqual(['one uploaded', 'two uploading']);
  });

  it('waits for a session', async () => {
    connected = false;
    await add('a');
    expect(phases()).toEqual(['a waiting']);
    expect(network.exchanges).toHaveLength(0);
    connected = true;
    uploader.release();
    await answerAll();
    expect(service.arrived).toEqual(['a']);
  });

  it('tells how far each photo is', async () => {
    await add('twenty bytes of text');
    network.only.request.onUploadProgress?.(7);
    expect(list.get(idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 7,
      confirmedBytes: 0,
    });
    service.answer(network.only);
    await clock.settle();
    expect(list.get(idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 10,
      confirmedBytes: 10,
    });
  });

  it('goes on after a restart where it was, without sending a confirmed byte again', async () => {
    await add('a photo of several chunks');
    service.answer(network.only);
    await clock.settle();
    service.answer(network.only);
    await clock.settle();
    const before = service.uploads.get(`${ENDPOINT}/u-1`)?.bytes.length;
    expect(before).toBe(20);
    await start();
    await uploader.restore();
    await clock.settle();
    expect(network.only.request.method).toBe('HEAD');
    await answerAll();
    expect(network.exchanges.map(({ request }) => request.method)).toEqual(['HEAD', 'PATCH']);
    expect(service.arrived).toEqual(['a photo of several chunks']);
  });
});

describe('a photo that cannot be uploaded', () => {
  it('fails with its reason and lets the others go on; its retry starts it again', async () => {
    await add('a', 'b');
    network.open[0]?.respond(415);
    await answerAll();
    expect(phases()).toEqual(['a failed', 'b uploaded']);
    expect(list.get(idOf('a'))?.record.failure).toBe('CW-605');
    await uploader.retry(idOf('a'));
    await answerAll();
    expect(phases()).toEqual(['b uploaded', 'a uploaded']);
    expect(service.arrived.sort()).toEqual(['a', 'b']);
  });

  it('stays failed after a restart, and is retried with all others that failed', async () => {
    await add('a', 'b');
    for (const exchange of network.open) exchange.respond(507);
    await clock.settle();
    await start();
    await uploader.restore();
    await clock.settle();
    expect(phases()).toEqual(['a failed', 'b failed']);
    expect(network.exchanges).toHaveLength(0);
    await uploader.retryFailed('CW-606');
    await answerAll();
    expect(service.arrived.sort()).toEqual(['a', 'b']);
  });

  it('because its copy is gone says CW-607', async () => {
    uploader.pause();
    await add('a', 'b');
    storage.spool.delete(idOf('a'));
    uploader.resume();
    await answerAll();
    expect(phases()).toEqual(['a failed', 'b uploaded']);
    expect(list.get(idOf('a'))?.record.failure).toBe('CW-607');
  });
});

describe('pausing', () => {
  it('ends what is on the wire and sends nothing until it is resumed; then nothing is lost', async () => {
    await add('a photo of several chunks', 'b', 'c');
    const [first] = network.open;
    if (first) service.answer(first);
    await clock.settle();
    uploader.pause();
    await clock.settle();
    expect(uploader.state.get().paused).toBe(true);
    expect(network.open).toHaveLength(0);
    expect(phases().map((text) => text.split(' ').at(-1))).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ]);
    await add('d');
    await clock.advance(600_000);
    expect(network.open).toHaveLength(0);
    uploader.resume();
    await answerAll();
    expect(service.arrived.sort()).toEqual(['a photo of several chunks', 'b', 'c', 'd']);
  });

  it('and resuming at once uploads every photo once', async () => {
    await add('a', 'b', 'c');
    uploader.pause();
    uploader.resume();
    await answerAll();
    await clock.advance(60_000);
    await answerAll();
    expect(service.arrived.sort()).toEqual(['a', 'b', 'c']);
    expect(phases()).toEqual(['a uploaded', 'b uploaded', 'c uploaded']);
  });

  it('ends at once also while the service cannot be reached', async () => {
    await add('a', 'b', 'c');
    for (const exchange of network.open) exchange.fail(unreachable);
    await clock.settle();
    uploader.pause();
    await clock.settle();
    expect(phases()).toEqual(['a waiting', 'b waiting', 'c waiting']);
  });

  it('and resuming tries a service that could not be reached at once', async () => {
    await add('a');
    network.only.fail(unreachable);
    await clock.settle();
    uploader.pause();
    await clock.settle();
    uploader.resume();
    await answerAll();
    expect(service.arrived).toEqual(['a']);
    expect(clock.elapsed).toBe(0);
  });
});

describe('removing', () => {
  it('a photo under way ends its request, takes it off the list, and after a restart takes it back at the service', async () => {
    await add('a photo of several chunks', 'b');
    const [first] = network.open;
    if (first) service.answer(first);
    await clock.settle();
    const id = idOf('a photo of several chunks');
    const removed = uploader.remove(id);
    await clock.settle();
    expect(phases()).toEqual(['b uploading']);
    await answerAll();
    await removed;
    // Put back, it would go on where it was.
    expect(network.exchanges.map(({ request }) => request.method)).not.toContain('DELETE');
    expect(service.arrived).toEqual(['b']);
    await start();
    await uploader.restore();
    expect(phases()).toEqual([]);
    expect(storage.records.has(id) || storage.spool.has(id)).toBe(false);
    await answerAll();
    expect(network.exchanges.map(({ request }) => request.method)).toContain('DELETE');
    expect([...service.uploads.values()].map(({ id: held }) => held)).not.toContain(id);
    expect(service.arrived).toEqual(['b']);
  });

  it('a waiting photo asks nothing of the service', async () => {
    uploader.pause();
    await add('a');
    await uploader.remove(idOf('a'));
    expect(phases()).toEqual([]);
    await start();
    await uploader.restore();
    expect(network.exchanges).toHaveLength(0);
    uploader.resume();
    await clock.settle();
    expect(network.exchanges).toHaveLength(0);
    expect(storage.records.size + storage.spool.size).toBe(0);
  });

  it('takes photos off the list at once also while the service cannot be reached', async () => {
    await add('a', 'b', 'c');
    for (const exchange of network.open) exchange.fail(unreachable);
    await clock.settle();
    for (const text of ['a', 'b', 'c']) {
      void uploader.remove(idOf(text));
      await clock.settle();
    }
    expect(phases()).toEqual([]);
    await start();
    await uploader.restore();
    expect(phases()).toEqual([]);
    expect(storage.records.size + storage.spool.size).toBe(0);
  });

  it('what is not there does nothing', async () => {
    await uploader.remove('nothing');
    expect(network.exchanges).toHaveLength(0);
  });
});

describe('the end of the session', () => {
  it('puts photos back instead of failing them, and signing in again goes on', async () => {
    await add('a photo of several chunks', 'b');
    const [first, second] = network.open;
    if (first) service.answer(first);
    second?.respond(401);
    await clock.settle();
    connected = false;
    await clock.advance(500);
    network.open
      .find(({ request }) => request.url.endsWith('/token'))
      ?.respond(400, {}, { error: 'invalid_grant' });
    await clock.settle();
    uploader.stopAll();
    await clock.settle();
    expect(phases().map((text) => text.split(' ').at(-1))).toEqual(['waiting', 'waiting']);
    expect(network.open).toHaveLength(0);
    await clock.advance(600_000);
    expect(network.open).toHaveLength(0);

    connected = true;
    await start();
    await uploader.restore();
    await answerAll();
    expect(service.arrived.sort()).toEqual(['a photo of several chunks', 'b']);
  });
});

describe('adding photos', () => {
  it('counts them, and tells which could not be queued and why, without stopping the others', async () => {
    const counts: unknown[] = [];
    uploader.state.subscribe(({ adding }) =>
      counts.push(adding && `${adding.done}/${adding.total}`),
    );
    await uploader.addPhotos([photo('a'), photo(''), photo('c')]);
    await answerAll();
    expect(counts.find((count) => count !== null)).toBe('0/3');
    expect(counts).toContain('2/3');
    expect(uploader.state.get().adding).toBeNull();
    expect(uploader.state.get().refused).toMatchObject([
      { name: '.jpg', error: { code: 'CW-601' } },
    ]);
    expect(service.arrived).toEqual(['a', 'c']);
    uploader.dismissRefused();
    expect(uploader.state.get().refused).toEqual([]);
  });

  it('counts several picks together', async () => {
    const first = uploader.addPhotos([photo('a'), photo('b')]);
    const second = uploader.addPhotos([photo('c')]);
    expect(uploader.state.get().adding).toEqual({ done: 0, total: 3 });
    await Promise.all([first, second]);
    expect(uploader.state.get().adding).toBeNull();
  });

  it('shows the newest twenty refusals at most', async () => {
    storage.fail('spool.copy', new CwError('CW-703', 'full'));
    await uploader.addPhotos(Array.from({ length: 25 }, (_, index) => photo(String(index))));
    const { refused } = uploader.state.get();
    expect(refused.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 5}.jpg`),
    );
    expect(refused.every(({ error }) => error.code === 'CW-703')).toBe(true);
  });

  it('of nothing changes nothing', async () => {
    await uploader.addPhotos([]);
    expect(phases()).toEqual([]);
    expect(uploader.state.get().adding).toBeNull();
  });
});

describe('trouble with storage', () => {
  it('is shown while it lasts, and does not stop uploads', async () => {
    await add('a', 'b');
    storage.fail('records.put', new CwError('CW-703', 'full'));
    storage.fail('records.remove', new CwError('CW-702', 'refused'));
    await answerAll();
    expect(service.arrived).toEqual(['a', 'b']);
    expect(uploader.state.get().storageError).toMatchObject({ code: 'CW-702' });
    storage.heal();
    await add('c');
    await answerAll();
    expect(uploader.state.get().storageError).toBeNull();
  });

  it('at the start is shown, and photos can still be added', async () => {
    storage.fail('records.load', new CwError('CW-702', 'unreadable'));
    await uploader.restore();
    expect(uploader.state.get().storageError).toMatchObject({ code: 'CW-702' });
    storage.heal();
    await add('a');
    await answerAll();
    expect(service.arrived).toEqual(['a']);
  });

  it('that lost the end of an upload sends nothing twice after a restart', async () => {
    await add('a');
    storage.fail('records.remove', new CwError('CW-702', 'refused'));
    await answerAll();
    expect(service.arrived).toEqual(['a']);
    await start();
    await uploader.restore();
    await answerAll();
    expect(service.arrived).toEqual(['a']);
    expect(phases()).toEqual(['a uploaded']);
    expect(storage.records.size + storage.spool.size).toBe(0);
  });
});

it('brings every photo that was not removed to the service exactly once, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      const random = seededRandom(seed);
      storage = new MemoryStorage();
      service = new TusService();
      clock = new FakeClock();
      connected = true;
      await start();
      const expected = new Set<string>();
      const removed = new Set<string>();
      const sentThoughRemoved: string[] = [];
      const watch = (): void => {
        const own = network;
        own.onRequest = (exchange) => {
          // What an earlier run still sends goes nowhere: the plugin is dead.
          if (own !== network) return;
          const id = service.photoOf(exchange);
          if (id !== null && removed.has(id) && exchange.request.method !== 'DELETE')
            sentThoughRemoved.push(`${exchange.request.method} ${id}`);
        };
      };
      watch();
      for (let step = 0; step < 50; step += 1) {
        const what = random();
        const exchange = network.open[Math.floor(random() * network.open.length)];
        const items = list.slice(0, 100).filter(({ phase }) => phase !== 'uploaded');
        const item = items[Math.floor(random() * items.length)];
        if (what < 0.15) {
          const text = `photo ${step} ${'x'.repeat(Math.floor(random() * 25))}`;
          expected.add(text);
          await add(text);
        } else if (what < 0.6 && exchange) {
          const luck = random();
          if (luck < 0.15) exchange.fail(unreachable);
          else if (luck < 0.25) exchange.respond(503);
          else if (luck < 0.3) exchange.respond(500);
          else service.answer(exchange);
        } else if (what < 0.65) uploader.pause();
        else if (what < 0.75) uploader.resume();
        else if (what < 0.8 && item) {
          expected.delete(item.record.name.replace('.jpg', ''));
          void uploader.remove(item.record.id);
          await clock.settle();
          removed.add(item.record.id);
        } else if (what < 0.85) {
          await start();
          watch();
          await uploader.restore();
        } else await clock.advance(random() * 5000);
        await clock.settle();
      }
      uploader.resume();
      const isDone = (): boolean => {
        const { waiting, uploading, failed } = list.summary.get();
        return waiting + uploading + failed === 0;
      };
      for (let round = 0; round < 400 && !isDone(); round += 1) {
        for (const exchange of network.open) service.answer(exchange);
        await clock.advance(2000);
      }
      expect({ seed, left: phases().filter((text) => !text.endsWith('uploaded')) }).toEqual({
        seed,
        left: [],
      });
      const arrived = service.arrived;
      expect(sentThoughRemoved).toEqual([]);
      expect(new Set(arrived).size).toBe(arrived.length);
      for (const text of expected) expect(arrived).toContain(text);
      await clock.advance(1_000);
      await start();
      await uploader.restore();
      expect(storage.records.size + storage.spool.size).toBe(0);
    }),
    { numRuns: 40 },
  );
});
