import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Sharp as Picture } from 'sharp';
import type { ImageInfo } from '../../../../service/library/previews/image-info.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
  type InspectedImage,
} from '../../../../service/library/previews/image-worker.js';
import {
  BEFORE,
  canonCr3,
  Fraction,
  iptc,
  photoshopFile,
  photoshopPicture,
  PREVIEW_HEAD,
  tiffFile,
  withExif,
  withResources,
  withSegment,
  withXmp,
  xmp,
  type Directory,
  type PhotoshopPicture,
} from '../../../support/camera-files.js';
import { compiled } from '../../../support/compiled.js';
import {
  bmp,
  crw,
  gifWithXmp,
  JPEG_2000,
  JPEG_2000_STREAM,
  JPEG_XL,
  mrw,
  openExr,
  radiance,
  withAfcp,
  withFotoStation,
  x3f,
} from '../../../support/further-formats.js';
import { IS_LONG } from '../../../support/long-runs.js';
import { library, twoColours } from '../../../support/pictures.js';

/** How many pictures one process looks at in turn. */
const MIXED = IS_LONG ? 60 : 24;
const AT = '2024:05:06 07:08:09';
const T = '2024-05-06T07:08:09';
/** `DateTimeOriginal` and `OffsetTimeOriginal`, as a camera writes them. */
const TAKEN: Directory = { 0x8769: { 0x9003: AT, 0x9011: '+02:00' } };

/** The sides of a picture and the colours in its corners (upper left, lower right). */
interface SeenPicture {
  readonly sides: readonly number[];
  readonly colours: string;
}

interface Seen extends ImageInfo {
  readonly thumbnail: SeenPicture | undefined;
  readonly preview: SeenPicture | undefined;
}

/** A thumbnail and a preview of these sides, in the same colours; without arguments none. */
function both(
  thumbnail?: readonly number[],
  preview?: readonly number[],
  colours = '',
): Pick<Seen, 'thumbnail' | 'preview'> {
  return {
    thumbnail: thumbnail && { sides: thumbnail, colours },
    preview: preview && { sides: preview, colours },
  };
}

describe('reading files of cameras and programs', () => {
  if (library === undefined) {
    it('finds nothing without an image library', () => {
      expect(library).toBeUndefined();
    });
    return;
  }
  const imageWorker = new ImageWorker(
    IMAGE_WORKER_LIMITS,
    compiled('service/library/previews/image-worker-process.ts'),
  );
  let folder: string;
  let small: Buffer;
  let large: Buffer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'camera-files-'));
    [small, large] = [await twoColours(160, 120), await twoColours(1500, 1000)];
  });
  afterAll(async () => {
    imageWorker.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** @param head how much of the file is there; the rest is read through the service */
  const inspect = async (bytes: Buffer, head?: number): Promise<ImageInfo & InspectedImage> => {
    const file = path.join(folder, 'file');
    await writeFile(file, bytes.subarray(0, head));
    let facts: ImageInfo = {};
    const job = { file, size: bytes.length, isWhole: head === undefined };
    const result = await imageWorker.inTurn('workspace', (inspect) =>
      inspect(
        { ...job, findsLocation: true, hasLocation: false, makesPictures: true },
        {
          saveLocation: () => Promise.resolve(),
          saveFacts: (found) => {
            facts = found;
            return Promise.resolve();
          },
          read: (at, length) => Promise.resolve(bytes.subarray(at, at + length)),
        },
      ),
    );
    if (typeof result === 'string') throw new Error(result);
    return { ...facts, ...result };
  };
  const look = async (bytes: Buffer, head?: number): Promise<Seen> => {
    const { pictures, ...facts } = await inspect(bytes, head);
    return {
      ...facts,
      thumbnail: await seen(pictures?.thumbnail),
      preview: await seen(pictures?.preview),
    };
  };
  const seen = async (picture: Buffer | undefined): Promise<SeenPicture | undefined> => {
    const made = picture && library?.(picture).removeAlpha().raw();
    const { data, info } = (await made?.toBuffer({ resolveWithObject: true })) ?? {};
    if (data === undefined || info === undefined) return undefined;
    const colour = (at: number): string => ((data[at] ?? 0) > (data[at + 2] ?? 0) ? 'red' : 'blue');
    return {
      sides: [info.width, info.height],
      colours: `${colour(0)} ${colour(data.length - 3)}`,
    };
  };

  it.each([
    ['as cameras write it', { 0x9003: AT }, T],
    ['two NULs at its end', { 0x9003: `${AT}\0` }, T],
    ['a space at its end', { 0x9003: `${AT} ` }, T],
    ['dashes', { 0x9003: '2024-05-06 07:08:09' }, T],
    ['slashes', { 0x9003: '2024/05/06 07:08:09' }, T],
    ['the ISO form', { 0x9003: '2024-05-06T07:08:09.123' }, T],
    ['a zone in its text', { 0x9003: `${AT}+02:00` }, `${T}+02:00`],
    ['Z in its text', { 0x9003: '2024-05-06T07:08:09Z' }, `${T}+00:00`],
    ['its zone beside it', { 0x9003: AT, 0x9011: '-03:30' }, `${T}-03:30`],
    ['a zone without a colon', { 0x9003: AT, 0x9011: '+0530' }, `${T}+05:30`],
    ['Z beside it', { 0x9003: AT, 0x9011: 'Z' }, `${T}+00:00`],
    ['an impossible zone', { 0x9003: AT, 0x9011: '+99:99' }, T],
    ['a zone beyond the last one', { 0x9003: AT, 0x9011: '+14:30' }, T],
    ['an unknown zone', { 0x9003: AT, 0x9011: '-00:00' }, T],
    ['only the time of digitizing', { 0x9004: AT, 0x9012: '+01:00' }, `${T}+01:00`],
    ['zeros, but a time of digitizing', { 0x9003: '0000:00:00 00:00:00', 0x9004: AT }, T],
    ['spaces where nothing is known', { 0x9003: '    :  :     :  :  ' }, undefined],
    ['month 13', { 0x9003: '2024:13:01 10:00:00' }, undefined],
    ['31 February', { 0x9003: '2024:02:31 10:00:00' }, undefined],
    ['29 February in a year without it', { 0x9003: '2023:02:29 10:00:00' }, undefined],
    ['29 February in a leap year', { 0x9003: '2024:02:29 10:00:00' }, '2024-02-29T10:00:00'],
    ['hour 24', { 0x9003: '2024:02:01 24:00:00' }, undefined],
    ['a leap second', { 0x9003: '2016:12:31 23:59:60' }, undefined],
    ['year 0', { 0x9003: '0000:01:01 00:00:00' }, undefined],
    ['year 1', { 0x9003: '0001:01:01 00:00:00' }, undefined],
  ])('reads a time with %s', async (_what, tags: Directory, capturedAt) => {
    expect((await look(withExif(small, { 0x8769: tags }))).capturedAt).toBe(capturedAt);
  });

  it('reads the time in the first directory, and in XMP where EXIF has none', async () => {
    const times = [
      withExif(small, { 0x9003: AT }),
      withXmp(small, 'exif:DateTimeOriginal="2024-05-06T07:08:09+02:00"'),
      withXmp(small, "photoshop:DateCreated='2024-05-06T07:08:09'"),
      withXmp(
        small,
        'exif:DateTimeOriginal="2024-02-31T07:08:09" xmp:CreateDate="2024-05-06T07:08:09"',
      ),
      withXmp(
        withExif(small, { 0x8769: { 0x9003: AT } }),
        'exif:DateTimeOriginal="2001-01-01T00:00:00"',
      ),
    ];
    for (const file of times) expect((await look(file)).capturedAt).toBe(T);
    const impossible = withXmp(small, 'exif:DateTimeOriginal="2024-02-31T07:08:09"');
    expect((await look(impossible)).capturedAt).toBeUndefined();
  });

  it.each([
    ['a date and a time', { 55: '20240506', 60: '070809+0200' }, `${T}+02:00`],
    ['a time without a zone', { 55: '20240506', 60: '070809' }, T],
    ['a date alone, which begins at midnight', { 55: '20240506' }, '2024-05-06T00:00:00'],
    ['the date of the digital form', { 62: '20240506', 63: '070809' }, T],
    ['31 February', { 55: '20240231', 60: '070809' }, undefined],
    ['zeros', { 55: '00000000', 60: '000000' }, undefined],
  ])('reads a time that only IPTC has: %s', async (_what, datasets, capturedAt) => {
    const list = Object.entries(datasets).map(([number, text]) => [Number(number), text] as const);
    const file = withResources(small, [[1028, iptc(list)]]);
    expect((await look(file)).capturedAt).toBe(capturedAt);
    const withDate = withExif(file, { 0x9003: '2001:01:01 01:01:01' });
    expect((await look(withDate)).capturedAt).toBe('2001-01-01T01:01:01');
  });

  it('reads the time of Photo Mechanic, and that of the first cameras of Casio', async () => {
    const properties = `xmlns:p="http://ns.camerabits.com/photomechanic/1.0/"
      photoshop:DateCreated="2024-05-06" p:TimeCreated="070809-0500"`;
    expect((await look(withXmp(small, properties))).capturedAt).toBe(`${T}-05:00`);
    const casio = Buffer.alloc(200);
    casio.write('QVCI');
    casio.write('1998.10.24.12.08.57', 77);
    expect((await look(withSegment(small, casio))).capturedAt).toBe('1998-10-24T12:08:57');
  });

  it.each([
    ['FotoStation', withFotoStation],
    [
      'the AXS File Concatenation Protocol',
      (picture: Buffer, datasets: Buffer) => withAfcp(picture, datasets, true),
    ],
    [
      'its big-endian form',
      (picture: Buffer, datasets: Buffer) => withAfcp(picture, datasets, false),
    ],
  ])('reads IPTC behind the picture, by %s', async (_what, withTrailer) => {
    const file = withTrailer(small, iptc([[120, 'A caption']]));
    expect((await look(file)).info).toEqual({ caption: 'A caption' });
  });

  it('reads the XMP of a GIF', async () => {
    const elements = '<dc:title><rdf:Alt><rdf:li>Harbour</rdf:li></rdf:Alt></dc:title>';
    const file = gifWithXmp(xmp('xmlns:dc="http://purl.org/dc/elements/1.1/"', elements));
    expect((await look(file)).info).toEqual({ title: 'Harbour' });
  });

  it.each([
    ['JPEG XL', JPEG_XL],
    ['JPEG 2000', JPEG_2000],
    ['JPEG 2000 without boxes', JPEG_2000_STREAM],
    ['BMP', bmp()],
    ['OpenEXR', openExr()],
    ['Radiance', radiance()],
  ])('makes the pictures of a file in %s', async (_what, file) => {
    expect(await look(file)).toEqual({
      ...{ width: 40, height: 30 },
      ...both([40, 30], [40, 30], 'red blue'),
    });
    // Of a large file in remote storage only the beginning is there: the size is in it.
    expect(await look(file, 100)).toMatchObject({ width: 40, height: 30 });
    const cut = file.subarray(0, file.length - 60);
    expect(await look(cut)).toMatchObject({ width: 40, height: 30 });
  });

  it('reads size, time and pictures of raw files of CRW, X3F and MRW', async () => {
    const pictures = both([512, 341], [1500, 1000], 'red blue');
    const time = Date.parse(`${T}Z`) / 1000;
    const sides = [3072, 2048] as const;
    expect(await look(crw({ jpeg: large, sides, rotation: 0, time }))).toEqual({
      ...{ width: 3072, height: 2048, capturedAt: T, ...pictures },
    });
    expect(await look(crw({ jpeg: large, sides, rotation: 270, time: 0 }))).toEqual({
      ...{ width: 2048, height: 3072, ...pictures },
    });
    const taken = withExif(small, TAKEN);
    expect(await look(x3f([2268, 1512], 90, [taken, large]))).toEqual({
      ...{ width: 1512, height: 2268, capturedAt: `${T}+02:00`, ...pictures },
    });
    expect(await look(mrw(3264, 2448, tiffFile(TAKEN)))).toEqual({
      ...{ width: 3264, height: 2448, capturedAt: `${T}+02:00`, ...both() },
    });
  });

  it('finds nothing in a raw file of a kind that no library reads', async () => {
    const kyocera = Buffer.alloc(200);
    kyocera.write('ARECOYK', 25);
    expect(await look(kyocera)).toEqual(both());
  });

  it('reads camera, rating and location', async () => {
    const gps = { 1: 'N', 2: [new Fraction(52, 1), new Fraction(31, 1), new Fraction(0, 1)] };
    const file = withXmp(withExif(small, { 0x110: 'X100V', 0x8825: gps }), 'xmp:Rating="3"');
    const { info } = await look(file);
    expect(info).toEqual({ camera: 'X100V', rating: 3, hasLocation: true });
  });

  it.each([
    ['TIFF', false],
    ['BigTIFF', true],
  ])(
    'follows the directories of a %s to its end, and decodes its first page',
    async (_what, isBig) => {
      const pixels = Buffer.alloc(400 * 300 * 3, Buffer.from([200, 0, 0]));
      const file = tiffFile(
        {
          ...{ 0x100: 400, 0x101: 300, 0x102: 8, 0x103: 1, 0x106: 2, 0x111: BEFORE, 0x112: 1 },
          ...{ 0x115: 3, 0x116: 300, 0x117: pixels.length, ...TAKEN },
        },
        { before: pixels, isBig },
      );
      expect(await look(file)).toEqual({
        ...{ width: 400, height: 300, capturedAt: `${T}+02:00` },
        ...both([400, 300], [400, 300], 'red red'),
      });
    },
  );

  it.each([
    ['II*\0', {}],
    ['MM\0*', {}],
    ['IIRO', {}],
  ])('takes size and preview of a raw file (%j) from the largest images in it', async (header) => {
    const before = Buffer.concat([small, large]);
    const file = tiffFile(
      {
        ...{ 0xfe: 1, 0x100: 160, 0x101: 120, 0x103: 6, 0x111: BEFORE, 0x117: small.length },
        ...{ 0x112: header.startsWith('M') ? 8 * 65_536 : 8, ...TAKEN },
        0x14a: [
          { 0xfe: 1, 0x103: 6, 0x201: BEFORE + small.length, 0x202: large.length },
          { 0xfe: 0, 0x100: 6000, 0x101: 4000, 0x103: 34_713, 0x106: 32_803, 0x111: 16, 0x117: 9 },
        ],
      },
      { header, before },
    );
    const turned = header.startsWith('M')
      ? { width: 6000, height: 4000 }
      : { width: 4000, height: 6000 };
    expect(await look(file)).toMatchObject({ ...turned, capturedAt: `${T}+02:00` });
    expect((await look(file)).thumbnail?.sides[turned.width > 5000 ? 0 : 1]).toBe(512);
    expect((await look(file)).preview?.sides[turned.width > 5000 ? 0 : 1]).toBe(1500);
    // Of a large file in remote storage only the beginning is there.
    expect(await look(file, 100)).toEqual(await look(file));
  });

  it.each([
    ['the part of a DNG that is shown', { 0xc612: 1, 0xc620: [5000, 3000] }, [5000, 3000]],
    [
      'what the EXIF data of a CR2 report',
      { 0x8769: { 0xa002: 5184, 0xa003: 3456 } },
      [5184, 3456],
    ],
  ])('reads the size of a raw file from %s', async (_what, tags: Directory, sides) => {
    const jpeg = { 0x103: 6, 0x111: BEFORE, 0x117: small.length };
    const file = tiffFile(
      { 0x100: 5100, 0x101: 3100, ...jpeg, 0x106: 32_803, ...tags },
      { before: small },
    );
    const found = await look(file);
    expect([found.width, found.height, found.thumbnail?.sides]).toEqual([...sides, [160, 120]]);
  });

  it('reads the size of an IIQ from its directory', async () => {
    const list = Buffer.alloc(12 + 8 + 32);
    list.write('IIIIwaR\0', 'latin1');
    list.writeUInt32LE(12, 8);
    list.writeUInt32LE(2, 12);
    for (const [index, [tag, value]] of [
      [0x10c, 8000],
      [0x10d, 6000],
    ].entries()) {
      list.writeUInt32LE(tag ?? 0, 20 + 16 * index);
      list.writeUInt32LE(value ?? 0, 32 + 16 * index);
    }
    const directory = tiffFile(
      { 0xfe: 1, 0x100: 100, 0x101: 80 },
      { before: Buffer.alloc(list.length) },
    );
    list.copy(directory, 8);
    expect(await look(directory)).toMatchObject({ width: 8000, height: 6000 });
  });

  it('makes the thumbnail of a RAF and an RW2 from the JPEG in it', async () => {
    const raf = Buffer.alloc(200);
    raf.write('FUJIFILMCCD-RAW 0201');
    const jpeg = withExif(large, { ...TAKEN });
    raf.writeUInt32BE(200, 84);
    raf.writeUInt32BE(jpeg.length, 88);
    const pictures = both([512, 341], [1500, 1000], 'red blue');
    expect(await look(Buffer.concat([raf, jpeg, Buffer.alloc(99)]))).toEqual({
      ...{ width: 1500, height: 1000, capturedAt: `${T}+02:00`, ...pictures },
    });
    const rw2 = tiffFile({ 4: 10, 5: 20, 6: 3010, 7: 4020, 0x2e: large }, { header: 'IIU\0' });
    expect(await look(rw2)).toMatchObject({ width: 4000, height: 3000, ...pictures });
  });

  it.each([undefined, 100])(
    'makes the pictures of a CR3 from the largest JPEG in it, also from parts of it (%s)',
    async (head) => {
      expect(await look(canonCr3({ 0x112: 65_536 }, large, small), head)).toMatchObject({
        ...{ width: 1500, height: 1000 },
        ...both([512, 341], [1500, 1000], 'red blue'),
      });
      const turned = await look(canonCr3({ 0x112: 8 }, large, small), head);
      expect(turned).toMatchObject({ width: 1000, height: 1500 });
      expect(turned.preview?.sides).toEqual([1000, 1500]);
      const broken = large.subarray(0, 200);
      expect((await look(canonCr3({}, broken, small), head)).preview?.sides).toEqual([160, 120]);
    },
  );

  it('makes the pictures of a TIFF that it cannot decode from what Photoshop has stored in it', async () => {
    const preview = photoshopFile([[1036, Buffer.concat([PREVIEW_HEAD, small])]]);
    const resources = preview.subarray(34, preview.length - 500);
    // Nothing compresses pixels in this way.
    const tags = { 0x100: 600, 0x101: 400, 0x103: 60_000, 0x111: 8, 0x117: 9, 0x8649: resources };
    expect(await look(tiffFile(tags))).toMatchObject({
      ...{ width: 600, height: 400 },
      ...both([160, 120], [160, 120], 'red blue'),
    });
  });

  it.each([
    ['a CMYK profile', 1039, 560_000],
    ['much XMP', 1060, 300_000],
  ])('skips %s before the preview of a Photoshop file', async (_what, id, length) => {
    const file = photoshopFile([
      [id, Buffer.alloc(length, 32)],
      [1036, Buffer.concat([PREVIEW_HEAD, small])],
      [1058, tiffFile(TAKEN)],
    ]);
    const found = {
      ...{ width: 160, height: 120, capturedAt: `${T}+02:00` },
      ...both([160, 120], [160, 120], 'red blue'),
    };
    expect([await look(file), await look(file, 1000)]).toEqual([found, found]);
  });

  describe('the composite of a Photoshop file', () => {
    const SIDES = { width: 600, height: 400 };
    const RGB = { ...SIDES, left: [200, 40, 40], right: [0, 0, 200] };
    const RED_BLUE = [
      [200, 40, 40],
      [0, 0, 200],
    ];
    const profileOf = async (name: 'p3' | 'cmyk'): Promise<Buffer> => {
      const picture = library?.(small).withIccProfile(name).tiff();
      const made = library?.(await picture?.toBuffer());
      return (await made?.metadata())?.icc ?? Buffer.alloc(0);
    };
    /** The colours in the corners of the preview. */
    const coloursOf = async (file: Buffer, head?: number): Promise<number[][] | undefined> => {
      const { pictures } = await inspect(file, head);
      const made = pictures && library?.(pictures.preview).raw();
      const { data, info } = (await made?.toBuffer({ resolveWithObject: true })) ?? {};
      if (data === undefined || info === undefined) return undefined;
      expect([info.width, info.height]).toEqual([600, 400]);
      return [[...data.subarray(0, 3)], [...data.subarray(-3)]];
    };
    const isNear = (found: number[][] | undefined, wanted: readonly number[][]): boolean =>
      found?.flat().every((one, at) => Math.abs(one - (wanted.flat()[at] ?? 0)) < 16) === true;

    it.each([
      ['without compression', RGB],
      ['with PackBits', { ...RGB, isPacked: true }],
      ['with 16 bits', { ...RGB, depth: 16 }],
      ['with 16 bits and PackBits', { ...RGB, depth: 16, isPacked: true }],
      ['in a PSB', { ...RGB, isPacked: true, isLarge: true }],
      ['behind layers', { ...RGB, isPacked: true, layers: Buffer.alloc(100_001, 7) }],
      [
        'with a channel for transparency',
        { ...RGB, left: [200, 40, 40, 9], right: [0, 0, 200, 9] },
      ],
    ] as const)('is decoded %s', async (_what, picture: PhotoshopPicture) => {
      const file = photoshopPicture(picture);
      expect(isNear(await coloursOf(file), RED_BLUE)).toBe(true);
      expect(isNear(await coloursOf(file, 100), RED_BLUE)).toBe(true);
    });

    it.each([
      ['grey', { ...SIDES, mode: 1, left: [90], right: [200] }, [90, 90, 90, 200, 200, 200]],
      [
        'CMYK, whose values are inverted',
        { ...SIDES, mode: 4, left: [255, 0, 0, 255], right: [255, 255, 255, 255] },
        [233, 0, 3, 255, 255, 255],
      ],
    ])('is decoded in %s', async (_what, picture: PhotoshopPicture, wanted) => {
      for (const isPacked of [false, true]) {
        const file = photoshopPicture({ ...picture, isPacked });
        const found = await coloursOf(file);
        expect([isPacked, found, isNear(found, [wanted])]).toEqual([isPacked, found, true]);
      }
    });

    it.each([8, 16] as const)('has the colours of its profile: %i bits', async (depth) => {
      const resources = [[1039, await profileOf('p3')]] as const;
      const file = photoshopPicture({ ...RGB, left: [184, 57, 49], depth, resources });
      expect(isNear(await coloursOf(file), RED_BLUE)).toBe(true);
    });

    const preview = (): readonly [number, Buffer] => [1036, Buffer.concat([PREVIEW_HEAD, small])];
    it.each([
      ['is blank', { resources: [[1057, Buffer.from('0000000100', 'hex')]] }],
      ['has 32 bits', { depth: 32 }],
      ['is indexed', { mode: 2, left: [1], right: [2] }],
      ['has too few channels', { left: [1], right: [2] }],
    ] as const)('is not used if it %s', async (_what, change: Partial<PhotoshopPicture>) => {
      const resources = [...(change.resources ?? []), preview()];
      const found = await look(photoshopPicture({ ...RGB, ...change, resources }));
      expect(found.preview).toEqual({ sides: [160, 120], colours: 'red blue' });
    });

    it.each([
      ['its end is missing', (file: Buffer) => file.subarray(0, -5000)],
      ['a row claims more bytes than there are', (file: Buffer) => withRow(file, 0xffff)],
      ['a row has too few bytes', (file: Buffer) => withRow(file, 1)],
      ['it claims to be huge', (file: Buffer) => withSides(file, 300_000)],
      ['it claims to be as large as is decoded', (file: Buffer) => withSides(file, 14_000)],
      ['it claims no pixels', (file: Buffer) => withSides(file, 0)],
    ])('does no harm if %s', async (_what, damage) => {
      const picture = { ...RGB, isPacked: true, resources: [preview()] };
      const found = await look(damage(photoshopPicture(picture)));
      expect(found.preview).toEqual({ sides: [160, 120], colours: 'red blue' });
    });
    const withSides = (file: Buffer, side: number): Buffer => {
      const changed = Buffer.from(file);
      changed.writeUInt32BE(side, 14);
      changed.writeUInt32BE(side, 18);
      return changed;
    };
    /** Changes the length of the first row. */
    const withRow = (file: Buffer, length: number): Buffer => {
      const changed = Buffer.from(file);
      const rows = 3 * 400;
      const table = changed.readUInt32BE(30) + 34 + 4 + 2;
      expect(changed.readUInt16BE(table + 2 * (rows - 1))).toBe(
        changed.readUInt16BE(table + 2 * (rows - 2)),
      );
      changed.writeUInt16BE(length, table);
      return changed;
    };
  });

  describe('colours', () => {
    it.each([
      ['8 bits without a profile', (one: Picture) => one.jpeg({ quality: 100 })],
      ['8 bits in Display P3', (one: Picture) => one.withIccProfile('p3').jpeg({ quality: 100 })],
      ['16 bits without a profile', (one: Picture) => one.toColourspace('rgb16').png()],
      [
        '16 bits in Display P3',
        (one: Picture) => one.toColourspace('rgb16').withIccProfile('p3').png(),
      ],
      [
        'CMYK with its profile',
        (one: Picture) => one.toColourspace('cmyk').withIccProfile('cmyk').tiff(),
      ],
      ['Lab', (one: Picture) => one.toColourspace('lab').tiff()],
    ])('are converted to sRGB: %s', async (_what, save) => {
      const background = { r: 200, g: 40, b: 40 };
      const picture = library?.({ create: { width: 90, height: 60, channels: 3, background } });
      if (picture === undefined) throw new Error('there is no image library');
      const { pictures } = await inspect(await save(picture).toBuffer());
      for (const one of [pictures?.thumbnail, pictures?.preview]) {
        const made = await library?.(one).raw().toBuffer({ resolveWithObject: true });
        expect(made?.info.channels).toBe(3);
        const [red = 0, green = 0, blue = 0] = made?.data ?? [];
        expect([red, green, blue].map((value) => Math.round(value / 20))).toEqual([10, 2, 2]);
      }
    });
  });

  it('reads the time in the XMP of a Photoshop file and of a TIFF', async () => {
    const text = Buffer.from(xmp(`exif:DateTimeOriginal="${T}"`));
    const files = [photoshopFile([[1060, text]]), tiffFile({ 0x100: 9, 0x101: 9, 0x2bc: text })];
    for (const file of files) expect((await look(file)).capturedAt).toBe(T);
  });

  it('stops at directories that loop, are out of range, or are endless', async () => {
    const back = tiffFile({ 0x100: 7, 0x101: 9, 0x14a: [BEFORE, BEFORE, 4_000_000_000] });
    expect(await look(back)).toMatchObject({ width: 7, height: 9 });
    const many = tiffFile({ 0x100: 7, 0x101: 9, 0x14a: Array.from({ length: 9000 }, (_, n) => n) });
    expect(await look(many)).toMatchObject({ width: 7 });
    const huge = tiffFile({ 0x100: 4_000_000_000, 0x101: 9, ...TAKEN });
    expect(await look(huge)).toEqual({ capturedAt: `${T}+02:00`, ...both() });
  });

  describe('large pictures', () => {
    const big = (
      format: 'jpeg' | 'png' | 'avif',
      width: number,
      height: number,
    ): Promise<Buffer> => {
      const picture = library?.({ create: { width, height, channels: 3, background: '#c00' } });
      const form =
        format === 'avif' ? { effort: 0, quality: 50 } : { progressive: true, compressionLevel: 1 };
      if (picture === undefined) throw new Error('there is no image library');
      return picture
        .toFormat(format, form)
        .withExif({ IFD2: { DateTimeOriginal: AT } })
        .toBuffer();
    };

    // An AVIF of 24 million pixels takes as long as all others together: it is looked at in long runs.
    it.each([
      ['avif', IS_LONG ? 6000 : 2400],
      ['jpeg', 6000],
      ['png', 6000],
    ] as const)('has large pictures: %s, %d pixels wide', async (format, width) => {
      const height = (width * 2) / 3;
      expect(await look(await big(format, width, height))).toEqual({
        ...{ width, height, capturedAt: T },
        ...both([512, 341], [2048, 1365], 'red red'),
      });
    });

    it(`finds the same in ${MIXED} mixed pictures in any order`, async () => {
      const scale = IS_LONG ? 2 : 1;
      const large = [
        await big('avif', 2000 * scale, 1500 * scale),
        await big('jpeg', 1500 * scale, 1000 * scale),
        await big('png', 1500 * scale, 1000 * scale),
      ];
      const others = [withExif(small, TAKEN), photoshopFile([[1058, tiffFile(TAKEN)]])];
      // Few are large, as in a real delivery.
      const files = Array.from({ length: MIXED }, (_, index) => {
        const kind = large[index / 7 - 1] ?? others[index % 2] ?? small;
        return Buffer.concat([kind, Buffer.alloc(index)]);
      });
      const inOrder = async (order: readonly number[]): Promise<string[]> => {
        const found: string[] = [];
        for (const index of order) {
          found[index] = JSON.stringify(await look(files[index] ?? small));
        }
        return found;
      };
      const numbers = files.map((_, index) => index);
      const first = await inOrder(numbers);
      expect(await inOrder([...numbers].reverse())).toEqual(first);
      if (IS_LONG) {
        const byParts = [...numbers].sort((a, b) => (a % 7) - (b % 7));
        expect(await inOrder(byParts)).toEqual(first);
      }
      expect(first.filter((one) => !one.includes('capturedAt'))).toEqual([]);
    });
  });
});
