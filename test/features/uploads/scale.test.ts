import { describe, expect, it } from '@jest/globals';
import { mkdirSync, openSync, closeSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RequestQueue } from '../../../src/api/request-queue.js';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import { randomId } from '../../../src/util/random-id.js';
import { uploadPhoto } from '../../../src/features/uploads/tus/tus-upload.js';
import { writeRecord, type PhotoRecord } from '../../../src/features/queue/photo-record.js';
import { signedInSession, testClient } from '../../api/signed-in.js';
import { openUxp } from '../../host-ports/implementations.js';
import { Conversation } from '../../support/conversation.js';
import { knownToDo } from '../../support/capabilities.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryRecords, memorySpool, MemoryStorage } from '../../support/memory-host.js';
import { List } from '../queue/queue-fixture.js';
import { outcomeOf } from '../../support/outcome.js';
import { seededBytes } from '../../support/seeded-random.js';
import { photoRecord } from '../../support/photo-record.js';

const PHOTOS = 10_000;
const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;

function recordOf(position: number, size: number, uploadUrl: string | null = null): PhotoRecord {
  return photoRecord(position.toString(16).padStart(32, '0'), size, {
    ...{ name: `IMG_${position}.jpg`, position, uploadUrl },
  });
}

describe('ten thousand queued photos', () => {
  function restarted(): { storage: MemoryStorage; list: List } {
    const storage = new MemoryStorage();
    for (let position = 0; position < PHOTOS; position += 1) {
      const record = recordOf(position, 1_000);
      storage.records.set(record.id, writeRecord(record));
      storage.spool.set(record.id, new Uint8Array(1));
    }
    const random = seededBytes(1);
    const list = new List({
      records: memoryRecords(storage),
      spool: memorySpool(storage),
      now: () => 0,
      newId: () => randomId(random),
    });
    return { storage, list };
  }

  it('are restored from one read of the records, without reading a copy', async () => {
    const { storage, list } = restarted();
    await list.load();
    expect(storage.log).toEqual(['records.load']);
    expect(list.summary.get()).toMatchObject({ waiting: PHOTOS, totalBytes: PHOTOS * 1_000 });
    expect(list.slice(PHOTOS - 1, 5).map(({ record }) => record.position)).toEqual([PHOTOS - 1]);
  });

  it('write one record for a change of one photo, at any position', async () => {
    const { storage, list } = restarted();
    await list.load();
    const changes: [change: (id: string) => Promise<void> | void, operations: string[]][] = [
      [(id) => list.makeNext(id), ['records.put ID']],
      [() => void list.takeNext(), []],
      // It is next already: on the wire, then uploaded and removed.
      [(id) => list.makeNext(id), []],
      [(id) => list.progress(id, 500, 400), []],
      [(id) => list.setUploadUrl(id, `${ENDPOINT}/u-1`), ['records.put ID']],
      [(id) => list.putBack(id), []],
      [() => void list.takeNext(), []],
      [(id) => list.fail(id, 'CW-603'), ['records.put ID']],
      [(id) => list.retry(id), ['records.put ID']],
      [(id) => list.makeNext(id), ['records.put ID']],
      [() => void list.takeNext(), []],
      [(id) => list.finish(id), []],
      [(id) => list.makeNext(id), []],
      [
        () => list.store.clearUploaded(),
        ['records.put note', 'spool.remove ID', 'records.remove ID note'],
      ],
      [(id) => list.makeNext(id), []],
    ];
    for (const position of [0, PHOTOS / 2, PHOTOS - 1]) {
      const { id } = recordOf(position, 1_000);
      for (const [change, operations] of changes) {
        storage.log.length = 0;
        await change(id);
        const log = storage.log.map((line) => line.replace(/uploaded-\w+/, 'note'));
        expect(log).toEqual(operations.map((operation) => operation.replace('ID', id)));
      }
    }
    expect(list.summary.get()).toMatchObject({ waiting: PHOTOS - 3, uploaded: 3 });
  });

  it('are removed and restored in one step each, one or all', async () => {
    const { storage, list } = restarted();
    await list.load();
    const { id } = recordOf(PHOTOS / 2, 1_000);
    for (const ids of [[id], list.all]) {
      storage.log.length = 0;
      await list.remove(ids);
      expect(list.summary.get()).toMatchObject({ waiting: PHOTOS - ids.length });
      await list.undoRemoval();
      expect(storage.log.map((entry) => entry.replace(/removal-.*/, 'note'))).toEqual([
        'records.put note',
        'records.remove note',
      ]);
      expect(list.all).toEqual(Array.from({ length: PHOTOS }, (_, place) => recordOf(place, 0).id));
    }
  });
});

describe('a file of twenty gigabytes', () => {
  const SIZE = 20_000_000_000;
  const CHUNK = 1_000;

  it('sends the right bytes beyond four gigabytes, to the last one', async () => {
    const ports = openUxp('9.2.0');
    try {
      // As an earlier run left it; the file takes no space but at its end.
      const record = recordOf(0, SIZE, `${ENDPOINT}/u-1`);
      const spool = join(ports.dataFolder, 'spool');
      mkdirSync(spool, { recursive: true });
      const path = join(spool, record.id);
      writeFileSync(path, '');
      truncateSync(path, SIZE);
      const end = Uint8Array.from({ length: 1_500 }, (_, index) => index % 251);
      const file = openSync(path, 'r+');
      writeSync(file, end, 0, end.length, SIZE - end.length);
      closeSync(file);

      const clock = new FakeClock();
      const network = new Conversation();
      const sent: Buffer[] = [];
      const offsets: string[] = [];
      let held = SIZE - end.length;
      network.onRequest = (exchange) => {
        const { method, headers, body } = exchange.request;
        if (method === 'PATCH' && body instanceof ArrayBuffer) {
          offsets.push(headers['Upload-Offset'] ?? '');
          sent.push(Buffer.from(body));
          held += body.byteLength;
        }
        const answer = { 'Upload-Offset': String(held), 'Upload-Length': String(SIZE) };
        setImmediate(() => {
          exchange.respond(method === 'HEAD' ? 200 : 204, answer);
        });
      };
      const client = testClient(BASE);
      const session = await signedInSession({ send: network.send, client, clock });
      const reader = await ports.spool.open(record.id);
      const progress: number[] = [];
      const outcome = outcomeOf(
        uploadPhoto({
          queue: new RequestQueue({ send: network.send, session, clock, random: () => 0 }),
          capabilities: knownToDo(),
          endpoint: ENDPOINT,
          record,
          reader,
          chunkBytes: CHUNK,
          clock,
          random: () => 0,
          signal: NEVER_CANCELLED,
          onProgress: (_sent, confirmed) => progress.push(confirmed),
          onUploadUrl: () => Promise.resolve(),
          onRestart: () => Promise.resolve(),
        }),
      );
      await clock.runUntil(() => outcome.state !== 'pending');
      await reader.close();
      expect(outcome).toMatchObject({ state: 'resolved' });
      expect(offsets).toEqual(['19999998500', '19999999500']);
      expect(Buffer.concat(sent).equals(end)).toBe(true);
      expect(progress.at(-1)).toBe(SIZE);
    } finally {
      await ports.dispose();
    }
  });
});
