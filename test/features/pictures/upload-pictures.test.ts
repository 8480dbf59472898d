import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  MAX_PICTURES,
  MAX_READING,
  UploadPictures,
} from '../../../src/features/pictures/upload-pictures.js';
import { CwError } from '../../../src/util/errors.js';
import { ApiFixture, BASE } from '../api-fixture.js';

const PICTURE = { type: 'image/jpeg', data: '/9j/4A==' };
const URL = 'data:image/jpeg;base64,/9j/4A==';

let fixture: ApiFixture;
let pictures: UploadPictures;

beforeEach(async () => {
  fixture = await ApiFixture.create();
  pictures = new UploadPictures({
    requests: fixture.requests,
    clock: fixture.clock,
    endpoint: `${BASE}/api/v1/uploads`,
  });
});

/** The pictures on the wire, by their addresses. */
async function wire(): Promise<string[]> {
  await fixture.clock.settle();
  return fixture.network.open.map(({ request }) =>
    request.url.replace(`${BASE}/api/v1/uploads/`, ''),
  );
}

async function answer(
  address: string,
  status = 200,
  body: object | string = PICTURE,
): Promise<void> {
  await fixture.clock.settle();
  const exchange = fixture.network.open.find(({ request }) => request.url.endsWith(`/${address}`));
  if (!exchange) {
    throw new Error(`not on the wire: ${address}`);
  }
  exchange.respond(status, {}, body);
  await fixture.clock.settle();
}

describe('a picture of the service', () => {
  it('is that of the file or of its page, read once however many show it', async () => {
    pictures.hold('u1');
    pictures.hold('u1', 3);
    pictures.hold('u1');
    expect(await wire()).toEqual(['u1/thumbnail', 'u1/thumbnail?page=3']);
    await answer('u1/thumbnail');
    await answer('u1/thumbnail?page=3', 200, { data: 'AAAA' });
    expect([pictures.of('u1'), pictures.of('u1', 3)]).toEqual([URL, 'data:image/jpeg;base64,AAAA']);
    expect(pictures.changes.get()).toBe(2);
    expect(await wire()).toEqual([]);
  });

  it.each([
    [404, { error: 'not_found' }],
    [200, { data: '"><svg>' }],
    [200, { data: 5 }],
    [200, '[]'],
  ])('is missing after %s %j', async (status, body) => {
    pictures.hold('u1');
    await answer('u1/thumbnail', status, body);
    await fixture.clock.advance(30_000);
    expect(pictures.of('u1')).toBeNull();
    expect(await wire()).toEqual([]);
  });

  it.each([204, 500])('is requested again after %d while it is shown', async (status) => {
    pictures.hold('u1');
    await answer('u1/thumbnail', status, {});
    await fixture.clock.advance(20_000);
    await answer('u1/thumbnail');
    expect(pictures.of('u1')).toBe(URL);
  });

  it('is requested again less and less often, then no more', async () => {
    pictures.hold('u1');
    await answer('u1/thumbnail', 204, {});
    for (const seconds of [2, 20, 60]) {
      await fixture.clock.advance(seconds * 1_000 - 1);
      expect(await wire()).toEqual([]);
      await fixture.clock.advance(1);
      await answer('u1/thumbnail', 204, {});
    }
    await fixture.clock.advance(3_600_000);
    expect(await wire()).toEqual([]);
  });

  it('is not requested again when it is shown no longer', async () => {
    const release = pictures.hold('u1');
    await answer('u1/thumbnail', 204, {});
    release();
    await fixture.clock.advance(60_000);
    expect(await wire()).toEqual([]);
  });
});

describe('pictures that are scrolled past', () => {
  it('are requested a few at once, and cancelled', async () => {
    const releases = Array.from({ length: 20 }, (_, index) => pictures.hold(`u${index}`));
    expect(await wire()).toEqual(['u0/thumbnail', 'u1/thumbnail']);
    releases.slice(0, 18).forEach((release) => {
      release();
    });
    expect(await wire()).toEqual(['u18/thumbnail', 'u19/thumbnail']);
    expect(fixture.network.mostOpen).toBe(MAX_READING);
    expect(fixture.network.exchanges.filter(({ isCancelled }) => isCancelled)).toHaveLength(2);
  });

  it('are read when they come back while their cancelled request ends', async () => {
    const release = pictures.hold('u1');
    await fixture.clock.settle();
    release();
    pictures.hold('u1');
    await answer('u1/thumbnail');
    expect(pictures.of('u1')).toBe(URL);
  });

  it('stay while another element shows them', async () => {
    pictures.hold('u1')();
    const release = pictures.hold('u1');
    pictures.hold('u1');
    release();
    await answer('u1/thumbnail');
    expect(pictures.of('u1')).toBe(URL);
  });
});

describe('kept pictures', () => {
  async function read(id: string): Promise<() => void> {
    const release = pictures.hold(id);
    await answer(`${id}/thumbnail`);
    return release;
  }

  it('are bounded, those shown longest ago go first', async () => {
    for (let index = 0; index < MAX_PICTURES; index += 1) {
      (await read(`u${index}`))();
    }
    pictures.hold('u0')();
    (await read('more'))();
    expect([pictures.of('u0'), pictures.of('u1'), pictures.of('more')]).toEqual([URL, null, URL]);
    const kept = Array.from({ length: MAX_PICTURES }, (_, index) => pictures.of(`u${index}`));
    expect(kept.filter((url) => url !== null)).toHaveLength(MAX_PICTURES - 1);
  });

  it('are not dropped while they are shown: further ones wait', async () => {
    const releases: (() => void)[] = [];
    for (let index = 0; index < MAX_PICTURES; index += 1) {
      releases.push(await read(`u${index}`));
    }
    pictures.hold('more');
    expect(await wire()).toEqual([]);
    releases[5]?.();
    await answer('more/thumbnail');
    expect([pictures.of('u5'), pictures.of('more')]).toEqual([null, URL]);
  });

  it('are forgotten with the session, and their requests end', async () => {
    await read('u1');
    pictures.hold('u2');
    await fixture.clock.settle();
    pictures.clear();
    expect(await wire()).toEqual([]);
    expect(pictures.of('u1')).toBeNull();
  });

  it('wait while the service cannot be reached, and come afterwards', async () => {
    pictures.hold('u1');
    pictures.hold('u2');
    await fixture.clock.settle();
    fixture.network.open.forEach((exchange) => {
      exchange.fail(new CwError('CW-301', 'no network'));
    });
    pictures.hold('u3');
    await fixture.clock.advance(2_000);
    await answer('u3/thumbnail');
    await fixture.clock.advance(20_000);
    await answer('u1/thumbnail');
    expect([pictures.of('u1'), pictures.of('u3')]).toEqual([URL, URL]);
  });
});
