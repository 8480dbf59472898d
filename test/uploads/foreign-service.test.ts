import { describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES, type Capabilities } from '../../src/api/capabilities.js';
import { CwError } from '../../src/util/errors.js';
import { FINDS_AGAIN } from '../support/capabilities.js';
import { Rig } from './fixture.js';

/** Photos at a tus service that does not know an upload again by its `client_upload_id`. */
const PHOTOS = ['short', 'a photo of three chunks', 'and one of two'];

const SERVICES: readonly (readonly [string, Capabilities])[] = [
  ['with creation alone', BASIC_CAPABILITIES],
  ['that takes bytes with a creation', { ...BASIC_CAPABILITIES, creationWithUpload: true }],
  ['that finds uploads again, and takes no bytes', { ...BASIC_CAPABILITIES, clientUploadId: true }],
  ['of ours', FINDS_AGAIN],
];

/** A kill at one request, before the service sees it or before its answer arrives. */
interface Kill {
  readonly at: number;
  readonly isAnswerLost: boolean;
}

/** Answers request after request until nothing is left to do. @returns how many there were */
async function runWith(rig: Rig, kill: Kill | null): Promise<number> {
  let requests = 0;
  for (;;) {
    await rig.clock.settle();
    const [exchange] = rig.network.open;
    if (!exchange) {
      if (rig.clock.pending === 0 || rig.list.summary.get().uploading === 0) return requests;
      await rig.clock.advanceToNext();
      continue;
    }
    requests += 1;
    if (kill?.at !== requests) {
      rig.respond(exchange);
      continue;
    }
    if (kill.isAnswerLost) rig.service.handle('anna', exchange);
    await rig.start();
  }
}

async function rigWith(can: Capabilities): Promise<Rig> {
  const rig = new Rig(can);
  await rig.start();
  return rig;
}

describe.each(SERVICES)('a service %s', (_name, can) => {
  it('receives each photo once, wherever the plugin dies or a response is lost', async () => {
    let kills = 0;
    for (const isAnswerLost of [false, true]) {
      for (let at = 1; ; at += 1) {
        const rig = await rigWith(can);
        await rig.uploader.addPhotos(PHOTOS.map((text) => rig.photo(text)));
        const requests = await runWith(rig, { at, isAnswerLost });
        expect({ at, isAnswerLost, arrived: rig.arrived().sort() }).toEqual({
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
      const rig = await rigWith(can);
      rig.storage.dieAfter(steps);
      const adding = rig.uploader.addPhotos(PHOTOS.map((text) => rig.photo(text)));
      await runWith(rig, null);
      await rig.start();
      // A copy without a record is found: the person adds the photo again.
      await rig.uploader.answerFound(false);
      await runWith(rig, null);
      void adding;
      const missing = PHOTOS.filter((text) => !rig.arrived().includes(text));
      await rig.uploader.addPhotos(missing.map((text) => rig.photo(text)));
      await runWith(rig, null);
      expect({ steps, arrived: rig.arrived().sort() }).toEqual({
        steps,
        arrived: [...PHOTOS].sort(),
      });
      await rig.start();
      await rig.clock.settle();
      expect(rig.left).toBe(0);
    }
  });
});

describe('where only the upload URL finds an upload again', () => {
  it('sends no byte before the upload URL is stored, however long that takes', async () => {
    const rig = await rigWith(BASIC_CAPABILITIES);
    const { storage } = rig;
    await rig.uploader.addPhotos([rig.photo('short')]);
    await rig.clock.settle();
    const letGo = storage.holdBack((operation) => operation === 'records.put');
    rig.respond(rig.network.only);
    await rig.clock.settle();
    expect(rig.network.open).toEqual([]);
    letGo();
    await rig.clock.settle();
    expect(rig.network.only.request.method).toBe('PATCH');
  });

  it('stores the upload URL of each photo before it sends bytes', async () => {
    const rig = await rigWith(BASIC_CAPABILITIES);
    await rig.uploader.addPhotos(PHOTOS.map((text) => rig.photo(text)));
    let chunks = 0;
    for (;;) {
      await rig.clock.settle();
      const [exchange] = rig.network.open;
      if (!exchange) break;
      const { method, url, body } = exchange.request;
      if (method === 'PATCH') {
        chunks += 1;
        expect([...rig.storage.records.values()].join()).toContain(JSON.stringify(url));
      } else {
        expect(body).toBeUndefined();
      }
      rig.respond(exchange);
    }
    expect(chunks).toBe(6);
  });

  it('holds a photo whose upload URL cannot be stored, and uploads it once when storage works', async () => {
    const rig = await rigWith(BASIC_CAPABILITIES);
    await rig.uploader.addPhotos([rig.photo('short')]);
    await rig.clock.settle();
    rig.storage.fail('records.put', new CwError('CW-703', 'no space left'));
    rig.respond(rig.network.only);
    await rig.clock.settle();
    expect(rig.network.open).toEqual([]);
    expect(rig.network.exchanges.map(({ request }) => request.method)).toEqual(['POST']);
    expect(rig.unsent).toMatchObject([{ phase: 'waiting', record: { failure: null } }]);
    expect(rig.uploader.state.get().storageError).toMatchObject({ code: 'CW-703' });
    rig.storage.heal();
    await rig.clock.advance(60_000);
    await runWith(rig, null);
    expect(rig.arrived()).toEqual(['short']);
  });
});
