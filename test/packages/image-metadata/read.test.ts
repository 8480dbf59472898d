import { describe, expect, it } from '@jest/globals';
import {
  ByteReader,
  findEmbedded,
  findLocation,
  metadataIn,
  Tiff,
  type ByteSource,
  type ReadLimits,
} from '../../../packages/image-metadata/index.js';
import { iptc, photoshopFile, png, PREVIEW_HEAD, tiffFile } from '../../support/camera-files.js';
import { sourceOf } from '../../support/image-metadata.js';
import { cutDirectory, PACKET, PICTURE, READ } from '../../support/metadata-samples.js';

const LIMITS: ReadLimits = { reads: 64, bytes: 4 * 1024 * 1024, steps: 4096 };

type Read = (source: ByteSource, limits?: ReadLimits) => Promise<unknown>;
const PATHS: readonly (readonly [string, Read])[] = [
  ['metadataIn', (source, limits = LIMITS) => metadataIn(ByteReader.over(source, limits, 64))],
  ['findEmbedded', (source, limits = LIMITS) => findEmbedded(ByteReader.over(source, limits, 64))],
  ['findLocation', (source, limits = LIMITS) => findLocation(source, limits)],
];

/** A directory that is its own next one, and leads to itself. */
function cycle(): Buffer {
  const file = Buffer.from(tiffFile({ 0x014a: [{ 0x0112: 1 }], 0x8769: { 0x0112: 1 } }));
  const first = file.readUInt32LE(4);
  const count = file.readUInt16LE(first);
  file.writeUInt32LE(first, first + 2 + 12 * count);
  for (let index = 0; index < count; index += 1) {
    file.writeUInt32LE(first, first + 2 + 12 * index + 8);
  }
  return file;
}

/** A TIFF file whose entries have as many values as can be written. */
function hugeCounts(): Buffer {
  const file = Buffer.from(tiffFile({ 0x014a: [1, 2], 0x02bc: PACKET, 0x8769: 8 }));
  const first = file.readUInt32LE(4);
  for (let index = 0; index < file.readUInt16LE(first); index += 1) {
    file.writeUInt32LE(0xffff_ffff, first + 2 + 12 * index + 4);
  }
  return file;
}

/** Directories that lead to one another, each in another window of the file. */
function distantDirectories(): Buffer {
  const distance = 100_000;
  const file = Buffer.alloc(100 * distance);
  file.write('II*\0\u0010', 'latin1');
  for (let at = 16; at < file.length; at += distance) {
    // One entry, the orientation, and the place of the next directory.
    Buffer.from([1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0]).copy(file, at);
    file.writeUInt32LE(at + distance, at + 14);
  }
  return file;
}

/** Boxes that are empty. */
const manyBoxes = Buffer.concat(
  Array.from({ length: 20_000 }, () => Buffer.from('\0\0\0\bfree', 'latin1')),
);
const HOSTILE: readonly (readonly [string, Buffer])[] = [
  ['directories in a circle', cycle()],
  ['huge counts', hugeCounts()],
  ['a directory that is cut short', cutDirectory],
  ['directories far from each other', distantDirectories()],
  [
    'chunks far from each other',
    png(Array.from({ length: 100 }, () => ['iTXt', Buffer.alloc(100_000, 'a')] as const)),
  ],
  ['many boxes', Buffer.concat([Buffer.from('\0\0\0\bftyp', 'latin1'), manyBoxes])],
  ['many fill bytes', Buffer.concat([PICTURE.subarray(0, 2), Buffer.alloc(200_000, 0xff)])],
  ['many chunks', png(Array.from({ length: 9000 }, () => ['tEXt', Buffer.alloc(0)] as const))],
  [
    'many chunks of pixels of two lengths',
    png(Array.from({ length: 9000 }, (_, index) => ['IDAT', Buffer.alloc(index % 2)] as const)),
  ],
  [
    'many resources',
    photoshopFile(Array.from({ length: 9000 }, () => [1, Buffer.alloc(0)] as const)),
  ],
  [
    'many data sets',
    photoshopFile([[1028, iptc(Array.from({ length: 9000 }, () => [25, ''] as const))]]),
  ],
];

describe('the blocks of metadata in a file', () => {
  it('are found in a directory that is cut short', async () => {
    const tiff = await Tiff.in(ByteReader.overBytes(cutDirectory));
    expect(await (await tiff?.first())?.text(0x010f, 10)).toBe('Me');
  });

  it.each([0, 1, 2, 3, 4, 5, 8, 1000, 1001])(
    'are found behind %i chunks of pixels, with few reads',
    async (count) => {
      const pixels = Array.from({ length: count }, () => ['IDAT', Buffer.alloc(8192)] as const);
      const packet = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), PACKET]);
      const source = sourceOf(
        png([...pixels, ['IDAT', Buffer.alloc(100)], ['iTXt', packet], ['IEND', Buffer.alloc(0)]]),
      );
      const blocks = await metadataIn(ByteReader.over(source, LIMITS));
      expect(blocks.map(({ kind }) => kind)).toEqual(['xmp']);
      expect(source.reads).toBeLessThan(30);
    },
  );
});

describe('the preview of a Photoshop file', () => {
  it.each([
    ['is found if its kind is a JPEG', PREVIEW_HEAD, 1],
    ['is left out if it has pixels', Buffer.alloc(28), 0],
  ])('%s', async (_name, head, count) => {
    const file = photoshopFile([[1036, Buffer.concat([head, PICTURE])]]);
    expect((await findEmbedded(ByteReader.overBytes(file))).jpegs).toHaveLength(count);
  });
});

describe('a hostile file', () => {
  it.each(PATHS)('is read by %s within its limits', async (_name, read) => {
    for (const [name, file] of HOSTILE) {
      const source = sourceOf(file);
      await read(source);
      expect({
        name,
        isBounded: source.reads <= LIMITS.reads && source.bytes <= LIMITS.bytes,
      }).toEqual({
        name,
        isBounded: true,
      });
    }
  });

  it.each(PATHS)('is read by %s without an error, wherever it ends', async (_name, read) => {
    for (const file of Object.values(READ)) {
      for (let length = 0; length < file.length; length += 1) {
        const source = sourceOf(file.subarray(0, length));
        await read(source);
        expect(source.reads).toBeLessThanOrEqual(LIMITS.reads);
      }
    }
  });

  it.each(PATHS)('is read by %s within a bound of bytes alone', async (_name, read) => {
    for (const [name, file] of HOSTILE) {
      const source = sourceOf(file);
      await read(source, { ...LIMITS, bytes: 1024 * 1024, reads: Infinity });
      expect({ name, isBounded: source.bytes <= 1024 * 1024 }).toEqual({ name, isBounded: true });
    }
  });

  it('is left where it has more structures than the limit', async () => {
    const file = photoshopFile([
      ...Array.from({ length: 5000 }, () => [1, Buffer.alloc(0)] as const),
      [1060, PACKET],
    ]);
    const blocks = (limits: ReadLimits) => metadataIn(ByteReader.over(sourceOf(file), limits));
    expect(await blocks(LIMITS)).toEqual([]);
    expect(await blocks({ ...LIMITS, steps: 6000 })).toHaveLength(1);
    const search = await findLocation(sourceOf(file), LIMITS);
    expect(search).toEqual({ kind: 'unsearchable', reason: 'limits' });
  });
});
