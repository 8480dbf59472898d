import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { createTransport } from '../../../../src/api/transport.js';
import { CancelledError, CancelSource } from '../../../../src/util/cancel.js';
import type { SendHttp } from '../../../../src/host/http.js';
import { terminateUpload, uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import type { PhotoRecord } from '../../../../src/features/queue/photo-record.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { listUploads } from '../../../service/support/oauth-client.js';
import { startTestService, type TestService } from '../../../service/support/running-service.js';
import { photo as photoBytes, sha256, terminate } from '../../../service/support/tus-client.js';
import { knownToDo } from '../../../support/capabilities.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { NodeXhr } from '../../../support/node-xhr.js';
import { outcomeOf } from '../../../support/outcome.js';
import { readerBy } from '../../../support/reader-by.js';
import { seededRandom, testRuns, testSeed } from '../../../support/seeded-random.js';
import { faultyNetwork, type Fault } from './faulty-network.js';
import { photoRecord } from '../../../support/photo-record.js';

const CHUNK_BYTES = 150_000;

let service: TestService;
let accessToken: string;
let clock: FakeClock;
let direct: SendHttp;

beforeAll(async () => {
  service = await startTestService();
  ({ accessToken } = await service.connect());
});
afterAll(() => service.close());
beforeEach(() => {
  clock = new FakeClock();
  direct = createTransport({
    createXhr: () => new NodeXhr(),
    clock,
    origin: testClient(service.baseUrl).origin,
  });
});

function recordOf(id: string, bytes: Uint8Array, uploadUrl: string | null = null): PhotoRecord {
  return photoRecord(id.padEnd(32, '-'), bytes.length, { name: `${id}.jpg`, uploadUrl });
}

interface Run {
  readonly done: Promise<UploadReceipt>;
  readonly source: CancelSource;
  /** The newest URL of the upload. */
  readonly url: () => string | null;
}

/** Uploads as a plugin does that has just started: nothing is known but the record. */
async function run(
  record: PhotoRecord,
  bytes: Uint8Array<ArrayBuffer>,
  send: SendHttp,
): Promise<Run> {
  const session = await signedInSession({
    send: direct,
    client: testClient(service.baseUrl),
    clock,
    accessToken,
    refreshToken: null,
  });
  const source = new CancelSource();
  let url = record.uploadUrl;
  const done = uploadPhoto({
    queue: new RequestQueue({ send, session, clock, random: () => 0 }),
    capabilities: knownToDo(),
    endpoint: `${service.baseUrl}/api/v1/uploads`,
    record,
    reader: readerBy((start, end) => Promise.resolve(bytes.slice(start, end).buffer)),
    chunkBytes: CHUNK_BYTES,
    clock,
    random: () => 0,
    signal: source.signal,
    onProgress: () => undefined,
    onUploadUrl: (told) => {
      url = told;
      return Promise.resolve();
    },
    onRestart: () => Promise.resolve(),
  });
  done.catch(() => undefined);
  return { done, source, url: () => url };
}

/** The service's uploads with this name. */
async function arrived(name: string): Promise<{ sha256: string; size: number }[]> {
  const { body } = await listUploads(service.baseUrl, accessToken);
  const uploads = body['uploads'] as { name: string; sha256: string; size: number }[];
  return uploads
    .filter((upload) => upload.name === name)
    .map((upload) => ({ sha256: upload.sha256, size: upload.size }));
}

async function expectArrivedOnce(id: string, bytes: Uint8Array): Promise<void> {
  expect(await arrived(`${id}.jpg`)).toEqual([{ sha256: sha256(bytes), size: bytes.length }]);
}

const faults: readonly Fault[] = [
  { kind: 'not sent' },
  { kind: 'cut', afterBytes: 1 },
  { kind: 'cut', afterBytes: 100_000 },
  { kind: 'cut', afterBytes: CHUNK_BYTES },
  { kind: 'answer lost' },
];

describe('an upload to the real service', () => {
  it('is stored byte for byte', async () => {
    const bytes = photoBytes(500_001);
    const { done } = await run(recordOf('plain', bytes), bytes, direct);
    await clock.runUntil(done);
    await expectArrivedOnce('plain', bytes);
  });

  it.each([1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])(
    'of %d bytes is stored',
    async (size) => {
      const bytes = photoBytes(size, size);
      const { done } = await run(recordOf(`size-${size}`, bytes), bytes, direct);
      await clock.runUntil(done);
      await expectArrivedOnce(`size-${size}`, bytes);
    },
  );

  const cases = [0, 1, 2].flatMap((at) =>
    faults.map((fault): [string, number, Fault] => [JSON.stringify(fault), at, fault]),
  );

  it.each(cases)('is stored once through %s at request %d', async (_name, at, fault) => {
    const id = `fault-${at}-${faults.indexOf(fault)}`;
    const bytes = photoBytes(400_000, at);
    let met = false;
    const send = faultyNetwork(direct, (_request, index) => {
      if (index !== at) return null;
      met = true;
      return fault;
    });
    const { done } = await run(recordOf(id, bytes), bytes, send);
    await clock.runUntil(done);
    expect(met).toBe(true);
    await expectArrivedOnce(id, bytes);
  });

  it('is stored once when the plugin dies at any request and restarts', async () => {
    for (let at = 0; at < 4; at += 1) {
      for (const storesUrl of [true, false]) {
        const id = `killed-${at}-${String(storesUrl)}`;
        const bytes = photoBytes(400_000, at);
        let first: Run | null = null;
        const send = faultyNetwork(direct, (_request, index) => {
          if (index === at) first?.source.cancel();
          return null;
        });
        first = await run(recordOf(id, bytes), bytes, send);
        const outcome = outcomeOf(first.done);
        await clock.runUntil(() => outcome.state !== 'pending');
        const stored = storesUrl ? first.url() : null;
        const second = await run(recordOf(id, bytes, stored), bytes, direct);
        await clock.runUntil(second.done);
        await expectArrivedOnce(id, bytes);
      }
    }
  });

  it('restarts when the service no longer has the upload', async () => {
    const bytes = photoBytes(400_000, 9);
    let first: Run | null = null;
    const send = faultyNetwork(direct, (_request, index) => {
      if (index === 2) first?.source.cancel();
      return null;
    });
    first = await run(recordOf('gone', bytes), bytes, send);
    await expect(clock.runUntil(first.done)).rejects.toBeInstanceOf(CancelledError);
    const url = first.url() ?? '';
    expect((await terminate(url, accessToken)).status).toBe(204);
    const second = await run(recordOf('gone', bytes, url), bytes, direct);
    await clock.runUntil(second.done);
    expect(second.url()).not.toBe(url);
    await expectArrivedOnce('gone', bytes);
  });

  it('is deleted when it is terminated, and can be terminated twice', async () => {
    const bytes = photoBytes(400_000, 11);
    let first: Run | null = null;
    const send = faultyNetwork(direct, (_request, index) => {
      if (index === 1) first?.source.cancel();
      return null;
    });
    first = await run(recordOf('taken-back', bytes), bytes, send);
    await expect(clock.runUntil(first.done)).rejects.toBeInstanceOf(CancelledError);
    const url = first.url() ?? '';
    const session = await signedInSession({
      send: direct,
      client: testClient(service.baseUrl),
      clock,
      accessToken,
    });
    const queue = new RequestQueue({ send: direct, session, clock, random: () => 0 });
    const endpoint = `${service.baseUrl}/api/v1/uploads`;
    for (let time = 0; time < 2; time += 1)
      await clock.runUntil(terminateUpload(queue, endpoint, url, new CancelSource().signal));
    expect((await terminate(url, accessToken)).status).toBe(404);
    expect(await arrived('taken-back.jpg')).toEqual([]);
  });

  it('is stored once through any faults and restarts', async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    try {
      for (let round = 0; round < testRuns(3); round += 1) {
        const id = `random-${round}`;
        const bytes = photoBytes(200_000 + Math.floor(random() * 500_000), round + 1);
        let url: string | null = null;
        let isDone = false;
        for (let attempt = 0; !isDone; attempt += 1) {
          let current: Run | null = null;
          const send = faultyNetwork(direct, () => {
            // Nothing fails for ever: after a while the network is well.
            if (attempt > 4 || random() < 0.55) return null;
            if (random() < 0.2) current?.source.cancel();
            const kind = Math.floor(random() * 3);
            if (kind === 0) return { kind: 'not sent' };
            if (kind === 1) return { kind: 'cut', afterBytes: Math.ceil(random() * CHUNK_BYTES) };
            return { kind: 'answer lost' };
          });
          current = await run(recordOf(id, bytes, url), bytes, send);
          const outcome = outcomeOf(current.done);
          await clock.runUntil(() => outcome.state !== 'pending', { stepMs: 200 });
          if (outcome.state === 'rejected') expect(outcome.error).toBeInstanceOf(CancelledError);
          // A plugin that dies may or may not have stored the address in time.
          url = random() < 0.7 ? current.url() : url;
          isDone = outcome.state === 'resolved';
        }
        await expectArrivedOnce(id, bytes);
      }
    } catch (error) {
      throw new Error(`with TEST_SEED=${seed}`, { cause: error });
    }
  });
});
