import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PictureScaler } from '../../../src/host/host.js';
import { bytesOf } from '../../../src/host/http.js';
import { MAX_PICTURE_CHARACTERS, Pictures } from '../../../src/features/pictures/pictures.js';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import { CwError } from '../../../src/util/errors.js';
import { photoshopFile, xmp } from '../../support/camera-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memorySpool, MemoryStorage } from '../../support/memory-host.js';

let storage: MemoryStorage;
let clock: FakeClock;
let items: Map<string, UploadItem>;

beforeEach(() => {
  storage = new MemoryStorage();
  clock = new FakeClock();
  items = new Map();
});

function openPictures(scaler: PictureScaler | null = null): Pictures {
  return new Pictures({
    spool: memorySpool(storage),
    clock,
    scaler,
    itemOf: (id) => items.get(id) ?? null,
  });
}

/** Puts a photo on the list. */
function addPhoto(id: string, file: Uint8Array, type = 'image/jpeg'): void {
  storage.spool.set(id, new Uint8Array(file));
  const record = {
    ...{ id, name: `${id}.jpg`, type, size: file.length, owner: null, position: 1, priority: 0 },
    ...{ queuedAt: 0, uploadUrl: null, failure: null },
    ...{ project: null, document: null, stateId: null, replaces: null },
  };
  items.set(id, { record, phase: 'waiting', sentBytes: 0, confirmedBytes: 0 });
}

/** A small JPEG of this length. */
function jpegOf(length: number): Buffer {
  const jpeg = Buffer.alloc(length, 0x11);
  jpeg.set(Buffer.from('ffd8ffc0000b080064006401011100ffda', 'hex'));
  return jpeg;
}

/** A Photoshop file with a preview. */
function fileWith(preview: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.writeUInt32BE(1);
  return photoshopFile([[1036, Buffer.concat([head, preview])]]);
}

const urlOf = (jpeg: Buffer, type = 'image/jpeg'): string =>
  `data:${type};base64,${jpeg.toString('base64')}`;

/** The final picture of a row. */
async function shown(pictures: Pictures, id: string): Promise<string | null> {
  pictures.thumbnailOf(id);
  await clock.advance(1_000);
  return pictures.thumbnailOf(id);
}

const identify = (pictures: Pictures, id: string): Promise<string | null> =>
  pictures.identify(id, items.get(id)?.record.size ?? 0);

const opened = (): number => storage.log.filter((line) => line.startsWith('spool.open')).length;

describe('a thumbnail', () => {
  it('is the preview in the file, read after the panel was drawn, and counted', async () => {
    const pictures = openPictures();
    const preview = jpegOf(500);
    addPhoto('a', fileWith(preview));
    expect(pictures.thumbnailOf('a')).toBeNull();
    await clock.settle();
    expect(storage.log).toEqual([]);
    await clock.advance(1_000);
    expect(pictures.changes.get()).toBe(1);
    expect(pictures.thumbnailOf('a')).toBe(urlOf(preview));
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['the picture that the app has made, and the file is not read', jpegOf(700), 0],
    ['the preview in the file where the app has made none', null, 1],
  ])('is %s', async (_what, made, opens) => {
    const preview = jpegOf(500);
    const picture = made && new Uint8Array(made);
    const spool = { ...memorySpool(storage), picture: () => Promise.resolve(picture) };
    const itemOf = (id: string): UploadItem | null => items.get(id) ?? null;
    const pictures = new Pictures({ spool, clock, scaler: null, itemOf });
    addPhoto('a', fileWith(preview), 'application/pdf');
    expect(await shown(pictures, 'a')).toBe(urlOf(made ?? preview));
    expect(opened()).toBe(opens);
  });

  it('is read once, however often the row is drawn', async () => {
    const pictures = openPictures();
    addPhoto('a', fileWith(jpegOf(500)));
    for (let drawing = 0; drawing < 5; drawing += 1) pictures.thumbnailOf('a');
    await clock.advance(1_000);
    for (let drawing = 0; drawing < 5; drawing += 1) await shown(pictures, 'a');
    expect(opened()).toBe(1);
  });

  it.each([
    ['a small JPEG', jpegOf(900), 'image/jpeg', true],
    ['a small PNG', jpegOf(900), 'image/png', true],
    ['a small file of a type that not every host shows', jpegOf(900), 'image/webp', false],
    ['a small file that is called a page', jpegOf(900), 'text/html', false],
    ['a large JPEG', jpegOf(513 * 1024), 'image/jpeg', false],
    ['an empty file', Buffer.alloc(0), 'image/jpeg', false],
  ])(
    'is the file itself, or null, for %s without a preview',
    async (_what, file, type, isShown) => {
      addPhoto('a', file, type);
      expect(await shown(openPictures(), 'a')).toBe(isShown ? urlOf(file, type) : null);
    },
  );

  it('is scaled by the host where it can', async () => {
    const scale: PictureScaler['scale'] = async (picture, px) =>
      `${(await bytesOf(picture)).byteLength} bytes at ${px}`;
    const pictures = openPictures({ scale });
    addPhoto('a', jpegOf(900_000), 'image/webp');
    addPhoto('b', Buffer.alloc(49 * 1024 * 1024));
    expect(await shown(pictures, 'a')).toBe('900000 bytes at 240');
    expect(await shown(pictures, 'b')).toBeNull();
  });

  it('is null for a copy that cannot be read, which is tried once', async () => {
    const pictures = openPictures();
    addPhoto('a', fileWith(jpegOf(500)));
    storage.fail('spool.read', new CwError('CW-702', 'not now'));
    expect(await shown(pictures, 'a')).toBeNull();
    storage.heal();
    expect(await shown(pictures, 'a')).toBeNull();
    expect(opened()).toBe(1);
  });

  it('is null for a photo that is not on the list', async () => {
    expect(await shown(openPictures(), 'a')).toBeNull();
    expect(storage.log).toEqual([]);
  });

  it('stays when the photo was uploaded and its copy is gone', async () => {
    const pictures = openPictures();
    const preview = jpegOf(500);
    addPhoto('a', fileWith(preview));
    addPhoto('b', fileWith(preview));
    await shown(pictures, 'a');
    storage.spool.clear();
    for (const [id, item] of items) items.set(id, { ...item, phase: 'uploaded' });
    expect(await shown(pictures, 'a')).toBe(urlOf(preview));
    // Nothing is there to be read.
    expect(await shown(pictures, 'b')).toBeNull();
    expect(opened()).toBe(1);
  });

  it('is there at once for a photo whose identity was read while it was added', async () => {
    const pictures = openPictures();
    addPhoto('a', fileWith(jpegOf(500)));
    await identify(pictures, 'a');
    expect(pictures.thumbnailOf('a')).toBe(urlOf(jpegOf(500)));
    await clock.advance(1_000);
    expect(opened()).toBe(1);
  });
});

describe('the identity of a photo', () => {
  it('is that in its file', async () => {
    const packet = Buffer.from(xmp('xmpMM:DocumentID="xmp.did:1"'));
    addPhoto('a', photoshopFile([[1060, packet]]));
    expect(await identify(openPictures(), 'a')).toBe('xmp.did:1');
  });

  it('is null for a copy that is gone or cannot be read', async () => {
    addPhoto('a', fileWith(jpegOf(500)));
    addPhoto('b', fileWith(jpegOf(500)));
    storage.spool.delete('a');
    expect(await identify(openPictures(), 'a')).toBeNull();
    storage.fail('spool.read', new CwError('CW-702', 'not now'));
    expect(await identify(openPictures(), 'b')).toBeNull();
  });
});

describe('the thumbnails together', () => {
  const preview = jpegOf(250_000);
  const MOST = Math.floor(MAX_PICTURE_CHARACTERS / urlOf(preview).length);

  const read = async (pictures: Pictures, id: string): Promise<void> => {
    addPhoto(id, fileWith(preview));
    await identify(pictures, id);
  };
  const fill = async (pictures: Pictures, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await read(pictures, `p${index}`);
  };
  /** Which of the first photos still have theirs. */
  const left = (pictures: Pictures, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `p${index}`).filter(
      (id) => pictures.thumbnailOf(id) !== null,
    );

  it('are dropped beyond 8 MiB, those shown longest ago first, and read again when shown', async () => {
    const pictures = openPictures();
    await fill(pictures, MOST);
    pictures.thumbnailOf('p0');
    await read(pictures, 'new');
    expect(left(pictures, 3)).toEqual(['p0', 'p2']);
    expect(await shown(pictures, 'p1')).toBe(urlOf(preview));
  });

  it('are dropped first for rows that are gone, last for uploaded photos', async () => {
    const pictures = openPictures();
    await fill(pictures, MOST);
    const p0 = items.get('p0');
    if (p0) items.set('p0', { ...p0, phase: 'uploaded' });
    items.delete('p2');
    for (const id of ['x', 'y']) await read(pictures, id);
    expect(left(pictures, 4)).toEqual(['p0', 'p3']);
  });

  it('do not take turns when the rows that are drawn have more than 8 MiB', async () => {
    const pictures = openPictures();
    const ids = Array.from({ length: MOST + 3 }, (_, index) => `p${index}`);
    const draw = (): number => ids.filter((id) => pictures.thumbnailOf(id) !== null).length;
    ids.forEach((id) => addPhoto(id, fileWith(preview)));
    pictures.changes.subscribe(draw);
    draw();
    await clock.advance(60_000);
    const reads = opened();
    expect(reads).toBe(ids.length);
    expect(draw()).toBe(MOST);
    await clock.advance(60_000);
    expect(opened()).toBe(reads);

    addPhoto('scrolled to', fileWith(preview));
    ids.splice(0, 5, 'scrolled to');
    await clock.advance(0);
    draw();
    await clock.advance(60_000);
    expect(draw()).toBe(ids.length);
  });

  it('are read after a rest that grows with the time that one takes', async () => {
    const pictures = openPictures({
      scale: async () => {
        await new Promise<void>((resolve) => clock.startTimer(20, resolve));
        return 'data:,';
      },
    });
    for (const id of ['a', 'b', 'c']) {
      addPhoto(id, Buffer.from('no preview'));
      pictures.thumbnailOf(id);
    }
    const times: number[] = [];
    const began = clock.now();
    pictures.changes.subscribe(() => times.push(clock.now() - began));
    await clock.advance(1_000);
    expect(times).toEqual([50, 270, 490]);
  });

  it('are not read for rows that were scrolled past', async () => {
    const pictures = openPictures();
    for (let index = 0; index < 1000; index += 1) {
      addPhoto(`p${index}`, fileWith(jpegOf(500)));
      pictures.thumbnailOf(`p${index}`);
    }
    await clock.advance(60_000);
    expect(opened()).toBe(40);
    expect(pictures.thumbnailOf('p999')).not.toBeNull();
  });
});
