import { beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_PICTURES, UploadPictures } from '../../../src/features/pictures/upload-pictures.js';
import { ApiFixture, BASE } from '../api-fixture.js';

let fixture: ApiFixture;
let pictures: UploadPictures;

beforeEach(async () => {
  fixture = await ApiFixture.create();
  const { clock, requests } = fixture;
  pictures = new UploadPictures({ clock, requests, endpoint: `${BASE}/api/v1/uploads` });
});

describe('the picture of an upload', () => {
  const of = (upload: string, page?: number): string | null => pictures.of(upload, page);
  const picture = { type: 'image/jpeg', data: '/9j/4A==' };

  it('is that of its file or page, read once', async () => {
    expect([of('u1'), of('u1', 3), of('u1')]).toEqual([null, null, null]);
    await answer('GET /api/v1/uploads/u1/thumbnail', 200, picture);
    expect(pictures.changes.get()).toBe(1);
    await fixture.clock.advance(100);
    await answer('GET /api/v1/uploads/u1/thumbnail?page=3', 200, { ...picture, data: 'AAAA' });
    expect([of('u1'), of('u1', 3)]).toEqual([
      'data:image/jpeg;base64,/9j/4A==',
      'data:image/jpeg;base64,AAAA',
    ]);
    await fixture.clock.advance(100);
    expect(lines()).toEqual([]);
  });

  it.each([
    [404, {}],
    [200, { data: '"><svg>' }],
    [200, { data: 5 }],
    [500, {}],
  ])('is a sign after %s %j', async (status, body) => {
    of('u1');
    await answer('GET /api/v1/uploads/u1/thumbnail', status, body);
    await fixture.clock.advance(30_000);
    expect(of('u1')).toBeNull();
    expect(lines()).toEqual([]);
  });

  it('is requested again when it was not made yet', async () => {
    of('u1');
    await answer('GET /api/v1/uploads/u1/thumbnail', 204, {});
    await fixture.clock.advance(20_000);
    of('u1');
    await answer('GET /api/v1/uploads/u1/thumbnail', 200, picture);
    expect(of('u1')).not.toBeNull();
  });

  it('is dropped when many others were shown', async () => {
    for (let number = 0; number <= MAX_PICTURES; number += 1) {
      of(`u${number}`);
      await answer(`GET /api/v1/uploads/u${number}/thumbnail`, 200, picture);
      await fixture.clock.advance(100);
    }
    expect([of('u0'), of(`u${MAX_PICTURES}`)]).not.toContain(null);
    expect(of(`u${MAX_PICTURES - 1}`)).toBeNull();
  });

  it('is that of the first entries in a long list, however often it is drawn', async () => {
    const draw = (): number => {
      const all = Array.from({ length: MAX_PICTURES + 40 }, (_, number) => of(`u${number}`));
      return all.filter((url) => url !== null).length;
    };
    draw();
    for (let number = 0; number < MAX_PICTURES; number += 1) {
      await answer(`GET /api/v1/uploads/u${number}/thumbnail`, 200, picture);
      draw();
      await fixture.clock.advance(100);
    }
    expect(draw()).toBe(MAX_PICTURES);
    await fixture.clock.advance(100);
    expect(lines()).toEqual([]);
  });
});

/** The requests on the wire, by their methods and paths. */
function lines(): string[] {
  return fixture.network.open.map(
    ({ request }) => `${request.method} ${request.url.replace(BASE, '')}`,
  );
}

async function answer(line: string, status: number, body: object): Promise<void> {
  (await fixture.next(line)).respond(status, {}, body);
  await fixture.clock.settle();
}
