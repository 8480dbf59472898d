import { beforeEach, describe, expect, it } from '@jest/globals';
import { ownerOf } from '../../../src/account/owner.js';
import { RequestQueue, type ApiRequest } from '../../../src/api/request-queue.js';
import { CwError } from '../../../src/util/errors.js';
import { randomId } from '../../../src/util/random-id.js';
import { Observable } from '../../../src/util/observable.js';
import type { HttpResponse } from '../../../src/host/http.js';
import { UploadManager } from '../../../src/features/uploads/upload-manager.js';
import { List } from '../queue/queue-fixture.js';
import { signedInSession, testClient } from '../../api/signed-in.js';
import { httpResponse } from '../../support/conversation.js';
import { knownToDo } from '../../support/capabilities.js';
import { FakeClock } from '../../support/fake-clock.js';
import {
  memoryPhoto,
  memoryRecords,
  memorySpool,
  MemoryStorage,
} from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';

const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;
const unreachable = (): Promise<HttpResponse> =>
  Promise.reject(new CwError('CW-301', 'no network'));

let clock: FakeClock;
let storage: MemoryStorage;
/** When uploads were tried. */
let triedAt: number[];
/** How often the session fails before it works again. */
let failures: number;

/** A queue whose session cannot give tokens: secure storage refuses them. */
class QueueInTrouble extends RequestQueue {
  override send(request: ApiRequest): Promise<HttpResponse> {
    triedAt.push(clock.elapsed);
    if (failures > 0) {
      failures -= 1;
      return Promise.reject(new CwError('CW-701', 'secure storage refuses'));
    }
    return Promise.resolve(
      httpResponse(201, {
        Location: `${ENDPOINT}/${triedAt.length}`,
        'Upload-Offset': request.headers['Upload-Length'] ?? '',
      }),
    );
  }
}

async function start(random: number): Promise<UploadManager> {
  const session = await signedInSession({ send: unreachable, client: testClient(BASE), clock });
  const records = memoryRecords(storage);
  const spool = memorySpool(storage);
  const bytes = seededBytes(1);
  const list = new List({ records, spool, now: () => 0, newId: () => randomId(bytes) });
  const uploader = new UploadManager({
    queue: list,
    photoStore: list.store,
    requests: new QueueInTrouble({ send: unreachable, session, clock, random: () => random }),
    records,
    spool,
    clock,
    random: () => random,
    capabilities: knownToDo(),
    endpoint: ENDPOINT,
    chunkBytes: 100,
    concurrency: 1,
    smallConcurrency: 1,
    account: { state: new Observable(null), onSignedIn: () => Promise.resolve() },
    owner: { get: () => ownerOf(null, session.id) },
    newId: () => randomId(bytes),
    detectProblem: () => null,
  });
  await uploader.restore();
  return uploader;
}

function photos(...texts: string[]): ReturnType<typeof memoryPhoto>[] {
  return texts.map((text) => memoryPhoto(storage, text, new Uint8Array(Buffer.from(text))));
}

async function waits(count: number): Promise<number[]> {
  await clock.settle();
  while (triedAt.length <= count) await clock.advanceToNext();
  return triedAt.slice(1, count + 1).map((at, index) => at - (triedAt[index] ?? 0));
}

beforeEach(() => {
  clock = new FakeClock();
  storage = new MemoryStorage();
  triedAt = [];
});

describe('uploads while the session has errors', () => {
  it('are retried with doubling delays up to a minute, reset by a completed upload', async () => {
    const uploader = await start(0);
    failures = 7;
    await uploader.addPhotos(photos('one'));
    expect(await waits(7)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    await clock.advance(1_000);
    triedAt = [];
    failures = 2;
    await uploader.addPhotos(photos('two'));
    expect(await waits(2)).toEqual([2_000, 4_000]);
    expect(uploader.state.get().storageError).toBeNull();
  });

  it('are retried up to a quarter earlier, at random', async () => {
    failures = 3;
    await (await start(0.8)).addPhotos(photos('one'));
    expect(await waits(3)).toEqual([1_600, 3_200, 6_400]);
  });
});
