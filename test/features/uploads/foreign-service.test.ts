import { describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES, type Capabilities } from '../../../src/api/capabilities.js';
import { CwError } from '../../../src/util/errors.js';
import { FINDS_AGAIN } from '../../support/capabilities.js';
import { UploadFixture } from '../fixture.js';

/** Photos at a tus service that does not know an upload again by its `client_upload_id`. */
const PHOTOS = ['short', 'a photo of three chunks', 'and one of two'];

const SERVICES: readonly (readonly [string, Capabilities])[] = [
  ['with creation alone', BASIC_CAPABILITIES],
  ['that takes bytes with a creation', { ...BASIC_CAPABILITIES, creationWithUpload: true }],
  ['that finds uploads again, and takes no bytes', { ...BASIC_CAPABILITIES, clientUploadId: true }],
  ['of ours', FINDS_AGAIN],
];

/** A kill at one request, before the service receives it or before its response is received. */
interface Kill {
  readonly at: number;
  readonly isAnswerLost: boolean;
}

/** Answers request after request until nothing is left to do. @returns how many there were */
async function runWith(fixture: UploadFixture, kill: Kill | null): Promise<number> {
  let requests = 0;
  for (;;) {
    await fixture.clock.settle();
    const [exchange] = fixture.network.open;
    if (!exchange) {
      if (fixture.clock.pending === 0 || fixture.list.summary.get().uploading === 0)
        return requests;
      await fixture.clock.advanceToNext();
      continue;
    }
    requests += 1;
    if (kill?.at !== requests) {
      fixture.respond(exchange);
      continue;
    }
    if (kill.isAnswerLost) fixture.service.handle('anna', exchange);
    await fixture.start();
  }
}

async function fixtureWith(can: Capabilities): Promise<UploadFixture> {
  const fixture = new UploadFixture(can);
  await fixture.start();
  return fixture;
}

describe.each(SERVICES)('a service %s', (_name, can) => {
  it('receives each photo once, wherever the plugin dies or a response is lost', async () => {
    let kills = 0;
    for (const isAnswerLost of [false, true]) {
      for (let at = 1; ; at += 1) {
        const fixture = await fixtureWith(can);
        await fixture.uploads.addPhotos(PHOTOS.map((text) => fixture.photo(text)));
        const requests = await runWith(fixture, { at, isAnswerLost });
        expect({ at, isAnswerLost, arrived: fixture.arrived().sort() }).toEqual({
          at,
          isAnswerLost,
          arrived: [...PHOTOS].sort(),
        });
        if (requests < at) break;
        kills += 1;
      }
    }
    expect(kills).toBeGreaterThan(10);
  });

  it('receives each photo once, at whatever storage step the plugin dies', async () => {
    for (let steps = 1; steps < 40; steps += 1) {
      const fixture = await fixtureWith(can);
      fixture.storage.dieAfter(steps);
      const adding = fixture.uploads.addPhotos(PHOTOS.map((text) => fixture.photo(text)));
      await runWith(fixture, null);
      await fixture.start();
      // A copy without a record is found: the user adds the photo again.
      await fixture.uploads.answerOrphans(false);
      await runWith(fixture, null);
      void adding;
      const missing = PHOTOS.filter((text) => !fixture.arrived().includes(text));
      await fixture.uploads.addPhotos(missing.map((text) => fixture.photo(text)));
      await runWith(fixture, null);
      expect({ steps, arrived: fixture.arrived().sort() }).toEqual({
        steps,
        arrived: [...PHOTOS].sort(),
      });
      await fixture.start();
      await fixture.clock.settle();
      expect(fixture.left).toBe(0);
    }
  });
});

describe('where only the upload URL finds an upload again', () => {
  it('sends no byte before the upload URL is stored, however long that takes', async () => {
    const fixture = await fixtureWith(BASIC_CAPABILITIES);
    const { storage } = fixture;
    await fixture.uploads.addPhotos([fixture.photo('short')]);
    await fixture.clock.settle();
    const letGo = storage.holdBack((operation) => operation === 'records.put');
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    letGo();
    await fixture.clock.settle();
    expect(fixture.network.only.request.method).toBe('PATCH');
  });

  it('stores the upload URL of each photo before it sends bytes', async () => {
    const fixture = await fixtureWith(BASIC_CAPABILITIES);
    await fixture.uploads.addPhotos(PHOTOS.map((text) => fixture.photo(text)));
    let chunks = 0;
    for (;;) {
      await fixture.clock.settle();
      const [exchange] = fixture.network.open;
      if (!exchange) break;
      const { method, url, body } = exchange.request;
      if (method === 'PATCH') {
        chunks += 1;
        expect([...fixture.storage.records.values()].join()).toContain(JSON.stringify(url));
      } else {
        expect(body).toBeUndefined();
      }
      fixture.respond(exchange);
    }
    expect(chunks).toBe(6);
  });

  it('holds a photo whose upload URL cannot be stored, and uploads it once when storage works', async () => {
    const fixture = await fixtureWith(BASIC_CAPABILITIES);
    await fixture.uploads.addPhotos([fixture.photo('short')]);
    await fixture.clock.settle();
    fixture.storage.fail('records.put', new CwError('CW-703', 'no space left'));
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    expect(fixture.network.exchanges.map(({ request }) => request.method)).toEqual(['POST']);
    expect(fixture.unsent).toMatchObject([{ phase: 'waiting', record: { failure: null } }]);
    expect(fixture.uploads.state.get().storageError).toMatchObject({ code: 'CW-703' });
    fixture.storage.heal();
    await fixture.clock.advance(60_000);
    await runWith(fixture, null);
    expect(fixture.arrived()).toEqual(['short']);
  });
});
