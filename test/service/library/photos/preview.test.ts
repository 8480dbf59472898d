import { beforeAll, describe, expect, it } from '@jest/globals';
import { ByteReader } from '../../../../packages/image-metadata/index.js';
import { bytesOf, previewsIn } from '../../../../service/library/previews/preview.js';
import { PREVIEW_HEAD } from '../../../support/camera-files.js';
import { seededRandom, testRuns, testSeed } from '../../../support/seeded-random.js';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

const segment = (kind: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const START = Buffer.from([0xff, 0xd8]);

/** A JPEG with this many pixels a side in its header. */
function jpeg(side: number): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(side, 1);
  frame.writeUInt16BE(side, 3);
  return Buffer.concat([
    START,
    segment(0xdb, Buffer.alloc(65)),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.alloc(20, 0x11),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A JPEG with a preview in its EXIF data; `lie` changes where the preview is said to be. */
function withExif(
  preview: Buffer,
  isLittle = true,
  lie = { offset: 0, length: 0 },
  orientation = 1,
): Buffer {
  const tiff = Buffer.alloc(56);
  const short = (value: number, at: number): unknown =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number): unknown =>
    isLittle ? tiff.writeUInt32LE(value >>> 0, at) : tiff.writeUInt32BE(value >>> 0, at);
  tiff.write(isLittle ? 'II*\0' : 'MM\0*', 'latin1');
  long(8, 4);
  // A first directory with one tag, and a second one with two.
  short(1, 8);
  short(0x0112, 10);
  short(3, 12);
  long(1, 14);
  short(orientation, 18);
  long(26, 22);
  short(2, 26);
  for (const [index, [tag, value]] of [
    [0x0201, 56 + lie.offset],
    [0x0202, preview.length + lie.length],
  ].entries()) {
    short(tag ?? 0, 28 + 12 * index);
    short(4, 30 + 12 * index);
    long(1, 32 + 12 * index);
    long(value ?? 0, 36 + 12 * index);
  }
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff, preview]);
  const picture = jpeg(4000).subarray(2);
  return Buffer.concat([START, segment(0xe0, Buffer.from('JFIF\0')), segment(0xe1, exif), picture]);
}

/** A Photoshop file with a preview among its resources. */
function photoshop(preview: Buffer): Buffer {
  const resource = (id: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(12);
    head.write('8BIM');
    head.writeUInt16BE(id, 4);
    head.writeUInt32BE(data.length, 8);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  };
  const resources = Buffer.concat([
    resource(1005, Buffer.alloc(15)),
    resource(1036, Buffer.concat([PREVIEW_HEAD, preview])),
    resource(1060, Buffer.alloc(100)),
  ]);
  const head = Buffer.alloc(34);
  head.write('8BPS\0\x01', 'latin1');
  head.writeUInt32BE(resources.length, 30);
  return Buffer.concat([head, resources, Buffer.alloc(1000)]);
}

const previewIn = async (file: Buffer): Promise<Buffer | undefined> => {
  const [largest] = await previewsIn(ByteReader.overBytes(file));
  return largest && bytesOf(largest);
};

describe('the preview that a file carries', () => {
  const small = jpeg(160);

  it.each([
    ['a JPEG', withExif(small)],
    ['a JPEG of the other order of bytes', withExif(small, false)],
    ['a Photoshop file', photoshop(small)],
  ])('is found in %s', async (_what, file) => {
    expect(Buffer.from((await previewIn(file)) ?? []).equals(small)).toBe(true);
    // The same in the middle of something larger.
    const within = Buffer.concat([Buffer.alloc(7), file]).subarray(7);
    expect(Buffer.from((await previewIn(within)) ?? []).equals(small)).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a JPEG without one', jpeg(100)],
    ['an offset beyond the end', withExif(small, true, { offset: 1_000_000, length: 0 })],
    ['an offset before the beginning', withExif(small, true, { offset: -1000, length: 0 })],
    ['a length beyond the end', withExif(small, true, { offset: 0, length: 100_000 })],
    ['a length below nothing', withExif(small, true, { offset: 0, length: -100_000 })],
    ['a page', withExif(Buffer.from('<!doctype html><script>1</script>'.repeat(9)))],
    ['a page in a Photoshop file', photoshop(Buffer.from('<svg onload="1">'.repeat(9)))],
    ['half of it', photoshop(small).subarray(0, 100)],
    ['another kind of file', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ])('is missing if the file has %s', async (_what, file) => {
    expect(await previewIn(file)).toBeUndefined();
  });

  it.each([2, 3, 6, 8])('has the orientation of the picture: %i', async (orientation) => {
    const file = withExif(small, true, undefined, orientation);
    const preview = Buffer.from((await previewIn(file)) ?? []);
    // The unchanged preview after the segment with the orientation.
    expect(preview.subarray(-small.length + 2).equals(small.subarray(2))).toBe(true);
    expect(preview.subarray(6, 12).toString('latin1')).toBe('Exif\0\0');
    expect(preview.readUInt16BE(preview.indexOf('0112', 0, 'hex') + 8)).toBe(orientation);
  });

  it.each([0, 1, 9, 65535])('is unchanged without an orientation: %i', async (orientation) => {
    const preview = await previewIn(withExif(small, true, undefined, orientation));
    expect(Buffer.from(preview ?? []).equals(small)).toBe(true);
  });

  it('does not crash on files broken at any position', async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const integer = (least: number, most: number): number =>
      least + Math.floor(random() * (most - least + 1));
    const files = [withExif(small), withExif(small, false), photoshop(small)];
    let found = 0;
    for (let round = 0; round < testRuns(6000); round += 1) {
      const file = Buffer.from(files[round % files.length] ?? small);
      for (let count = integer(1, 6); count > 0; count -= 1) {
        // Most of the parsed structures are at the beginning.
        const at = integer(0, integer(0, 1) === 0 ? 120 : file.length - 1);
        file[Math.min(at, file.length - 1)] = integer(0, 255);
      }
      const preview = await previewIn(file.subarray(0, integer(0, file.length)));
      if (preview === undefined) continue;
      found += 1;
      expect(preview.length).toBeLessThanOrEqual(file.length);
      expect([seed, Buffer.from(preview.subarray(0, 3)).toString('hex')]).toEqual([seed, 'ffd8ff']);
    }
    expect([seed, found > 100]).toEqual([seed, true]);
  });

  describe('is shown', () => {
    let workspaceId: string;
    let user: TestUser;
    let token: string;
    let cookie: string;

    const service = useService();
    beforeAll(async () => {
      workspaceId = await addWorkspace(service, 'North Studio');
      user = await addUser(service, { [workspaceId]: 'owner' });
      token = await connectAs(service, user);
      cookie = (await openSettings(service, user, '/photos')).sessionCookie;
    });

    const thumbnail = (id: string, as = cookie): Promise<Response> =>
      fetch(`${service.baseUrl}/photos/${id}/thumbnail`, {
        headers: { cookie: as },
        redirect: 'manual',
      });
    const bytesOf = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);

    it('in the list and on its own page, and no other page shows pictures', async () => {
      const id = await send(service, token, 'photo.jpg', bytesOf(withExif(small)));
      const browser = await openSettings(service, user, '/photos');
      for (const address of ['/photos', `/photos/${id}`]) {
        const page = await browser.open(address);
        expect(page.markup).toContain(`src="/photos/${id}/thumbnail`);
        expect(page.headers.get('content-security-policy')).toContain("img-src 'self'");
      }
      for (const address of ['/settings/apps', '/settings/sign-in', '/oauth/device', '/nothing'])
        expect((await browser.open(address)).headers.get('content-security-policy')).not.toContain(
          'img-src',
        );
    });

    it('as a plain tile if the file has no preview', async () => {
      const files = [
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
        Buffer.from('<!doctype html><script>1</script>'),
        Buffer.alloc(0),
        Buffer.from(photo(768 * 1024)),
        withExif(jpeg(60_000)),
      ];
      // The thumbnail that the service makes of a photo must not be there before its bytes are gone.
      const lost = await send(service, token, 'lost.psd', Buffer.alloc(100));
      await service.stored.lose(lost);
      const ids = await Promise.all(
        files.map((file) => send(service, token, 'photo.jpg', bytesOf(file))),
      );
      for (const id of [...ids, lost]) {
        const answer = await thumbnail(id);
        expect(answer.status).toBe(200);
        // The last of them may have a thumbnail by now that the service made itself.
        if (id === ids.at(-1) && answer.headers.get('content-type') === 'image/webp') continue;
        expect(answer.headers.get('content-type')).toBe('image/svg+xml');
        expect(await answer.text()).toMatch(/^<svg [^>]+><rect [^>]+><path [^>]+><\/svg>$/);
      }
    });

    it('only to users who can see the photo', async () => {
      const id = await send(service, token, 'photo.jpg', bytesOf(withExif(small)));
      const colleague = await addUser(service, { [workspaceId]: 'member' });
      const theirs = (await openSettings(service, colleague, '/photos')).sessionCookie;
      expect((await thumbnail(id, theirs)).status).toBe(404);
      expect((await thumbnail('nothing')).status).toBe(404);
      const outsider = new TestBrowser(service.baseUrl);
      expect((await outsider.open(`/photos/${id}/thumbnail`)).text).toContain('Sign in');
    });
  });
});
