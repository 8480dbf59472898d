import { describe, expect, it } from '@jest/globals';
import { crc32 } from 'node:zlib';
import {
  applyPatches,
  findLocation,
  MAX_PATCH_BYTES,
  MAX_PATCHES,
  SEARCH_LIMITS,
  type LocationSearch,
  type Patch,
} from '../../../packages/image-metadata/index.js';
import { isUnknownKind } from '../../../packages/image-metadata/kinds.js';
import { png, tiffFile, withSegment } from '../../support/camera-files.js';
import { sourceOf } from '../../support/image-metadata.js';
import {
  SECRET,
  JPEG,
  GPS,
  XMP,
  FTYP,
  REMOVED,
  REFUSED,
  KEPT,
  inJpeg,
  bigPng,
  inText,
  zeros,
  box,
} from '../../support/metadata-samples.js';
import fc from '../../support/properties.js';
import { testRuns } from '../../support/seeded-random.js';

const search = (file: Uint8Array): Promise<LocationSearch> => findLocation(sourceOf(file));

/** Checks the order of patches, and applies them. */
function patch(file: Uint8Array, patches: readonly Patch[]): Buffer {
  let end = 0;
  for (const { at, length } of patches) {
    expect(at).toBeGreaterThanOrEqual(end);
    expect(length).toBeGreaterThan(0);
    end = at + length;
  }
  expect(end).toBeLessThanOrEqual(file.length);
  return Buffer.from(applyPatches(file, 0, patches));
}

describe('a file with a location', () => {
  it.each(Object.entries(REMOVED))('loses it: %s', async (_name, file) => {
    const found = await search(file);
    if (found.kind !== 'searched') throw new Error(found.reason);
    const hides = (bytes: Buffer): boolean =>
      bytes.includes(SECRET) || Buffer.from(bytes.filter((byte) => byte !== 0)).includes(SECRET);
    const left = patch(file, found.patches);
    expect(left.length).toBe(file.length);
    expect(hides(left)).toBe(false);
    // Parts of a packet are no words on their own.
    expect(left.includes(SECRET.slice(0, 5)) || left.includes(SECRET.slice(5))).toBe(false);
    // A second time there is nothing to do.
    expect(await search(left)).toEqual({ kind: 'searched', hasLocation: false, patches: [] });
  });

  it.each(Object.entries(REFUSED))('cannot be searched: %s', async (_name, [file, reason]) => {
    expect(await search(file)).toEqual({ kind: 'unsearchable', reason });
  });

  it.each([
    ...Object.entries(REMOVED),
    ...Object.entries(REFUSED).map(([name, [file]]) => [name, file] as const),
  ])('is searched unless its kind is unknown: %s', async (_name, file) => {
    const isUnknown = isUnknownKind(file.toString('latin1', 0, 64));
    const found = await search(file);
    // Other XML is left to the search, which reads on.
    const isKnown = found.kind === 'searched' || found.reason !== 'unknown-kind';
    expect(isUnknown).toBe(!isKnown && !file.toString('latin1').startsWith('<?'));
  });

  it.each([
    ['white space', ' '.repeat(64)],
    ['nothing', ''],
    ['the end of the known bytes', `${' '.repeat(60)}<x:x`],
    ['UTF-8 with a mark', '\u00ef\u00bb\u00bf\n<'],
    ['UTF-16', '\u00ff\u00fe<\0?\0'],
    ['UTF-16, highest byte first', '\u00fe\u00ff\0<\0?'],
  ])('may be XMP: %s', (_name, head) => {
    expect(isUnknownKind(head)).toBe(false);
  });

  it('keeps the other properties', async () => {
    const file = inJpeg(XMP);
    const found = await search(file);
    if (found.kind !== 'searched') throw new Error(found.reason);
    const element = `<photoshop:City>${SECRET}</photoshop:City>`;
    expect(found).toEqual({
      kind: 'searched',
      hasLocation: true,
      patches: [{ at: file.indexOf(element), length: element.length, by: 0x20 }],
    });
  });

  it('has right checksums in a PNG', async () => {
    const file = bigPng(
      ['eXIf', tiffFile(GPS)],
      ['iTXt', inText(XMP)],
      ['zTXt', Buffer.from('Raw profile type exif\0\0x')],
    );
    const found = await search(file);
    if (found.kind !== 'searched') throw new Error(found.reason);
    const left = patch(file, found.patches);
    const types: string[] = [];
    for (let at = 8; at < left.length; at += 12 + left.readUInt32BE(at)) {
      const end = at + 8 + left.readUInt32BE(at);
      expect(left.readUInt32BE(end)).toBe(crc32(left.subarray(at + 4, end)));
      types.push(left.toString('latin1', at + 4, at + 8));
    }
    expect(types.filter((type) => type !== 'IDAT')).toEqual([
      'IHDR',
      'eXIf',
      'iTXt',
      'skIp',
      'IEND',
    ]);
  });
});

describe('a row of chunks with pixels', () => {
  const pixels = (lengths: readonly number[]): (readonly [string, Buffer])[] =>
    lengths.map((length) => ['IDAT', Buffer.alloc(length, 7)] as const);
  const around = (before: readonly number[], behind: readonly number[]): Buffer =>
    png([
      ['IHDR', Buffer.alloc(13)],
      ...pixels(before),
      ['eXIf', tiffFile(GPS)],
      ...pixels(behind),
      ['IEND', Buffer.alloc(0)],
    ]);
  const equal = (count: number, length: number): number[] =>
    Array.from({ length: count }, () => length);

  it.each([
    ['in few large reads where they are short', equal(2000, 1024), 12, 3 * 1024 * 1024],
    ['by their heads alone where they are long', equal(20, 300_000), 30, 2 * 1024 * 1024],
  ])('is visited %s', async (_title, lengths, reads, bytes) => {
    const source = sourceOf(around(lengths, []));
    expect(await findLocation(source)).toMatchObject({ hasLocation: true });
    expect(source.reads).toBeLessThan(reads);
    expect(source.bytes).toBeLessThan(bytes);
  });

  it('hides no location, whatever the lengths', async () => {
    const lengths = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 70_000 })),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(lengths, lengths, async (before, behind) => {
        const file = around(before, behind);
        const found = await search(file);
        if (found.kind !== 'searched') throw new Error(found.reason);
        expect(found.hasLocation).toBe(true);
        const left = patch(file, found.patches);
        expect(await search(left)).toEqual({ kind: 'searched', hasLocation: false, patches: [] });
      }),
    );
  });

  it('hides no location of the same length between them', async () => {
    const { length } = tiffFile(GPS);
    for (let count = 1; count < 20; count += 1) {
      const file = around(equal(count, length), equal(20, length));
      expect([count, await search(file)]).toMatchObject([count, { hasLocation: true }]);
    }
  });

  it('may be cut short anywhere', async () => {
    const file = around([], [10, 3000, 20]);
    for (let size = file.indexOf('IDAT'); size < file.length; size += 7)
      expect(await search(file.subarray(0, size))).toMatchObject({
        kind: 'searched',
        hasLocation: true,
      });
  });
});

describe('a file without a location', () => {
  it.each(Object.entries(KEPT))('stays as it is: %s', async (_name, file) => {
    expect(await search(file)).toEqual({ kind: 'searched', hasLocation: false, patches: [] });
  });
});

/** A JPEG whose MPF lists lead to one another, three levels deep. */
function picturesInPictures(): Buffer {
  const list = Buffer.alloc(16 * 16);
  for (let at = 0; at < list.length; at += 16) list.writeUInt32LE(1000, at + 4);
  let file = JPEG;
  for (let level = 0; level < 60; level += 1)
    file = Buffer.concat([
      withSegment(JPEG, Buffer.concat([Buffer.from('MPF\0'), tiffFile({ 0xb002: list })]), 0xe2),
      file,
    ]);
  return file;
}

/** 400 segments with 64 directories, which share one directory of a location. */
function sharedDirectories(): Buffer {
  const gps = Buffer.alloc(2 + 12 * 1024 + 4);
  gps.writeUInt16LE(1024);
  for (let entry = 0; entry < 1024; entry += 1) {
    gps.writeUInt16LE(2, 2 + 12 * entry);
    gps.writeUInt16LE(5, 4 + 12 * entry);
    gps.writeUInt32LE(3, 6 + 12 * entry);
    gps.writeUInt32LE(8 + (entry % 512) * 2, 10 + 12 * entry);
  }
  const directories = Array.from({ length: 64 }, (_, index) => {
    const directory = Buffer.alloc(18);
    directory.writeUInt16LE(1);
    directory.writeUInt16LE(0x8825, 2);
    directory.writeUInt16LE(4, 4);
    directory.writeUInt32LE(1, 6);
    directory.writeUInt32LE(8 + 64 * 18, 10);
    directory.writeUInt32LE(index < 63 ? 8 + (index + 1) * 18 : 0, 14);
    return directory;
  });
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0II*\0\u0008\0\0\0', 'latin1'),
    ...directories,
    gps,
  ]);
  const segment = withSegment(JPEG, exif).subarray(2, 2 - JPEG.length);
  return Buffer.concat([
    JPEG.subarray(0, 2),
    ...Array.from({ length: 400 }, () => segment),
    JPEG.subarray(2),
  ]);
}

describe('a hostile file', () => {
  const files: readonly (readonly [string, () => Buffer])[] = [
    ['lists that lead to pictures with lists', picturesInPictures],
    ['directories that share one', sharedDirectories],
    ['XMP of words', () => Buffer.from(`<x:xmpmeta>${'gps '.repeat(1e6)}</x:xmpmeta>`)],
    ['XMP of attributes', () => Buffer.from(`<x:xmpmeta ${'gps="1" '.repeat(1e6)}/>`)],
    ['XMP of opened tags', () => Buffer.from(`<x:xmpmeta>${'<gps '.repeat(1e6)}`)],
    ['XMP of opened comments', () => Buffer.from(`<x:xmpmeta>${'<!--'.repeat(1e6)}`)],
    ['XMP of levels', () => Buffer.from('<x:xmpmeta>'.repeat(4e5))],
    ['bytes that fill', () => Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(4e6, 0xff)])],
    ['pictures without end', () => Buffer.concat(Array.from({ length: 2e5 }, () => JPEG))],
    ['empty chunks', () => png(Array.from({ length: 2e5 }, () => ['teSt', zeros(0)] as const))],
    ['empty boxes', () => Buffer.concat([FTYP, ...Array.from({ length: 4e5 }, () => box('abcd'))])],
    ['streams of a PDF', () => Buffer.from(`%PDF-1 ${'1 0 obj stream\nendstream '.repeat(1e5)}`)],
    [
      'spaces of a PDF',
      () => Buffer.from(`%PDF-1 1 0 obj /Filter${' '.repeat(3e6)}stream\nendstream`),
    ],
  ];

  it.each(files)('is searched within the limits: %s', async (_name, make) => {
    const file = make();
    const source = sourceOf(file);
    const found = await findLocation(source);
    expect(source.reads).toBeLessThanOrEqual(SEARCH_LIMITS.reads);
    // Each byte is read a few times at most: small files cost little.
    expect(source.bytes).toBeLessThan(20 * file.length + 1e6);
    if (found.kind === 'searched') {
      expect(found.patches.length).toBeLessThanOrEqual(MAX_PATCHES);
      patch(file, found.patches);
    } else expect(['limits', 'damaged']).toContain(found.reason);
  });

  it('has a long packet in a PNG, which is removed without being read', async () => {
    const length = 120 * 1024 * 1024;
    const head = Buffer.from(`\x89PNG\r\n\x1a\n\0\0\0\0iTXtXML:com.adobe.xmp\0\0\0\0\0`, 'latin1');
    head.writeUInt32BE(length, 8);
    let read = 0;
    const found = await findLocation({
      size: 8 + 8 + length + 4,
      read(start, end) {
        read = Math.max(read, end - start);
        const bytes = new Uint8Array(end - start).fill(0x67);
        bytes.set(head.subarray(start, Math.min(end, head.length)));
        return Promise.resolve(bytes);
      },
    });
    expect(found).toMatchObject({ kind: 'searched', patches: { length: 2 } });
    expect(read).toBeLessThan(2e6);
  });
});

describe('patches', () => {
  it('are the same for any part of the file', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 9 }), fc.boolean()), {
          maxLength: 12,
        }),
        fc.nat(199),
        fc.nat(199),
        (file, gaps, from, to) => {
          let at = 0;
          const patches = gaps.flatMap(([gap, length, isRepeated]): Patch[] => {
            const start = at + gap;
            at = start + length;
            const by = isRepeated ? 7 : Uint8Array.from({ length }, (_, index) => index);
            return at > file.length ? [] : [{ at: start, length, by }];
          });
          const all = applyPatches(file, 0, patches);
          const part = applyPatches(file.subarray(from, to), from, patches);
          expect([...part]).toEqual([...all.subarray(from, to)]);
        },
      ),
    );
  });
});

/** Grown from pieces that the formats have, with wrong lengths and places. */
const grown = fc
  .tuple(
    fc.constantFrom<Buffer>(
      ...Object.values(REMOVED),
      ...Object.values(KEPT).filter(({ length }) => length > 0),
    ),
    fc.constantFrom<Buffer>(...Object.values(REMOVED)),
    fc.integer({ min: 1, max: 40 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2, 8, 0x3c, 0x7f, 0xff)), { maxLength: 12 }),
    fc.nat(),
  )
  .map(([first, second, times, changes, cut]) => {
    const piece = second.subarray(cut % second.length);
    const file = Buffer.concat([first, ...Array.from({ length: times }, () => piece)]);
    for (const [place, value] of changes) file[place % Math.min(file.length, 4000)] = value;
    return file;
  });

describe('a grown hostile file', () => {
  it('ends within the limits, with patches in order', async () => {
    const limits = { reads: 500, bytes: 64 * 1024 * 1024, steps: 50_000 };
    await fc.assert(
      fc.asyncProperty(grown, async (file) => {
        const source = sourceOf(file);
        const found = await findLocation(source, limits);
        expect(source.reads).toBeLessThanOrEqual(limits.reads);
        expect(source.bytes).toBeLessThanOrEqual(limits.bytes);
        if (found.kind === 'unsearchable') return;
        const left = patch(file, found.patches);
        const bytes = found.patches.map(({ by }) => (typeof by === 'number' ? 0 : by.length));
        expect(found.patches.length).toBeLessThanOrEqual(MAX_PATCHES);
        expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(MAX_PATCH_BYTES);
        // What is left has no location.
        const again = await findLocation(sourceOf(left), limits);
        if (again.kind === 'searched') expect(again.hasLocation).toBe(false);
      }),
      { numRuns: testRuns(50) },
    );
  });
});
