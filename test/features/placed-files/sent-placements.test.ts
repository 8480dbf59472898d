import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { SentPlacements } from '../../../src/features/placed-files/sent-placements.js';
import type { UploadedPhoto } from '../../../src/features/history/index.js';
import type { PlacedFile } from '../../../src/host/placed-files.js';
import { Observable } from '../../../src/util/observable.js';
import { ApiFixture, BASE } from '../api-fixture.js';

const SHA = 'a'.repeat(64);
const PUT = 'PUT /api/v1/uploads/up1/placements';

let fixture: ApiFixture;
let files: readonly PlacedFile[] | null;
/** Uploads by the keys of links. */
let recognised: ReadonlyMap<string, string>;
let photos: readonly UploadedPhoto[];
let changes: Observable<number>;
let hasPlacements: boolean;
/** What storage has. It outlives the plugin. */
let stored: Map<string, string>;
let placements: SentPlacements;

function start(): void {
  changes = new Observable(0);
  placements = new SentPlacements({
    host: {
      list: () => (files ? Promise.resolve(files) : Promise.reject(new Error('no links'))),
    },
    linked: { uploadsOf: () => Promise.resolve(recognised) },
    requests: fixture.requests,
    capabilities: {
      get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoList: hasPlacements }),
    },
    endpoint: `${BASE}/api/v1/uploads`,
    origin: BASE,
    records: {
      put: (key, value) => {
        stored.set(key, value);
        return Promise.resolve();
      },
    },
    history: { changes, photos: () => photos },
  });
  placements.restore(stored);
  placements.start();
}

function file(uploadId: string, origin = BASE): PlacedFile {
  const identity = { origin, uploadId, sha256: SHA, size: 'web' as const };
  return { key: uploadId, name: 'Lake.jpg', path: null, state: 'present', identity };
}

/** The upload of an export is complete. */
async function arrive(id: string, uploadId: string | null = 'up1'): Promise<void> {
  photos = [{ id, uploadId } as UploadedPhoto, ...photos];
  changes.set(changes.get() + 1);
  await fixture.clock.settle();
}

beforeEach(async () => {
  fixture = await ApiFixture.create();
  files = [];
  recognised = new Map();
  photos = [];
  hasPlacements = true;
  stored = new Map();
  start();
});

describe('the files that are placed in an uploaded document', () => {
  it('are the different ones of the service', async () => {
    files = [
      file('u1'),
      file('u2'),
      file('u1'),
      file('u3', 'https://other.example'),
      file('../u4'),
      { ...file('u5'), identity: null },
      { ...file('by other means'), identity: null },
    ];
    recognised = new Map([
      ['by other means', 'u6'],
      ['u1', 'u7'],
    ]);
    expect(await placements.of('1')).toEqual(['u1', 'u2', 'u6']);
    files = Array.from({ length: 600 }, (_, index) => file(`u${index}`));
    expect(await placements.of('1')).toHaveLength(500);
    files = null;
    expect(await placements.of('1')).toEqual([]);
  });

  it('are sent once, after the upload is complete', async () => {
    await placements.note('export', ['u1', 'u2']);
    await arrive('another', 'up9');
    expect(fixture.network.open).toEqual([]);
    await arrive('export');
    const request = await fixture.next(PUT);
    expect(request.request.body).toBe('{"placements":[{"id":"u1"},{"id":"u2"}]}');
    request.respond(204);
    await arrive('third', 'up3');
    expect(fixture.network.open).toEqual([]);
    start();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
  });

  it('are kept over a restart before and after the upload', async () => {
    await placements.note('export', ['u1']);
    placements.stop();
    start();
    await arrive('export');
    expect((await fixture.next(PUT)).isCancelled).toBe(false);
    placements.stop();
    start();
    (await fixture.next(PUT)).respond(204);
    await fixture.clock.settle();
    expect(stored.get('placements')).toBe('[]');
  });

  it('are sent again while the service fails', async () => {
    await placements.note('export', ['u1']);
    await arrive('export');
    (await fixture.next(PUT)).respond(503);
    await fixture.clock.advance(60_000);
    (await fixture.next(PUT)).respond(204);
    await fixture.clock.settle();
    expect(stored.get('placements')).toBe('[]');
  });

  it.each([400, 403, 404, 413])('are dropped after %s, and others are sent', async (status) => {
    await placements.note('export', ['u1']);
    await placements.note('second', ['u2']);
    await arrive('export');
    await arrive('second', 'up2');
    (await fixture.next(PUT)).respond(status, {}, { error: 'refused' });
    (await fixture.next('PUT /api/v1/uploads/up2/placements')).respond(204);
    await fixture.clock.settle();
    expect(stored.get('placements')).toBe('[]');
  });

  it('are not sent to a service without placements, or without an upload id', async () => {
    hasPlacements = false;
    await placements.note('export', ['u1']);
    await placements.note('nameless', ['u1']);
    await placements.note('empty', []);
    await arrive('export');
    hasPlacements = true;
    await arrive('nameless', null);
    (await fixture.next(PUT)).respond(204);
    await fixture.clock.settle();
    expect(stored.get('placements')).toBe('[["nameless",{"placed":["u1"]}]]');
  });

  it.each(['', '[', '{}', '[["export",{}]]', '[["export",{"placed":5}]]'])(
    'ignores %j in storage',
    async (text) => {
      stored.set('placements', text);
      start();
      await arrive('export');
      expect(fixture.network.open).toEqual([]);
    },
  );
});
