import { describe, expect, it } from '@jest/globals';
import { ByteReader, isCutShort } from '../../../packages/image-metadata/index.js';
import { sourceOf } from '../../support/image-metadata.js';
import {
  locatedJpeg,
  locatedPng,
  locatedPsd,
  locatedTiff,
  noisePixels,
  tiffFile,
} from '../../support/located-pictures.js';
import { pdf } from '../../support/pdf.js';

const LIMITS = { reads: 64, bytes: 4 * 1024 * 1024, steps: 4_096 };
const pixels = noisePixels(120, 90);

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** A Photoshop file whose lines are compressed. */
function compressedPsd(isPsb: boolean): Buffer {
  const raw = locatedPsd(noisePixels(4, 3), isPsb);
  const picture = 3 * 4 * 3;
  const width = isPsb ? 4 : 2;
  const lengths = Buffer.alloc(9 * width);
  for (let line = 0; line < 9; line += 1) lengths.writeUIntBE(50, line * width, width);
  const head = raw.subarray(0, raw.length - picture - 2);
  return Buffer.concat([head, Buffer.from([0, 1]), lengths, Buffer.alloc(9 * 50, 7)]);
}

function webp(): Buffer {
  const file = Buffer.concat([Buffer.from('RIFF....WEBPVP8 '), Buffer.alloc(300, 9)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0'));
const mdat = box('mdat', Buffer.alloc(5_000, 3));
const moov = box('moov', box('mvhd', Buffer.alloc(100)));

const FILES: readonly (readonly [string, () => Buffer | Promise<Buffer>])[] = [
  ['a JPEG', () => locatedJpeg(pixels)],
  ['a PNG', () => locatedPng(pixels)],
  ['a TIFF', () => locatedTiff(pixels)],
  ['a TIFF in the other order of bytes', () => locatedTiff(pixels, true)],
  ['a TIFF of 16 bits', () => tiffFile({}, false, noisePixels(50, 40, 16))],
  ['a Photoshop file', () => locatedPsd(pixels)],
  ['a large Photoshop file', () => locatedPsd(pixels, true)],
  ['a Photoshop file with layers', () => locatedPsd(pixels, false, Buffer.alloc(999))],
  ['a compressed Photoshop file', () => compressedPsd(false)],
  ['a compressed large Photoshop file', () => compressedPsd(true)],
  ['a PDF', () => pdf()],
  ['a WebP file', webp],
  ['a film', () => Buffer.concat([ftyp, mdat, moov])],
  ['a film that begins with its index', () => Buffer.concat([ftyp, moov, mdat])],
];

const isCut = (file: Buffer): Promise<boolean> =>
  isCutShort(ByteReader.over(sourceOf(file), LIMITS));

describe('a file that is cut short', () => {
  it.each(FILES)('differs from the whole one: %s', async (_, make) => {
    const file = await make();
    expect(await isCut(file)).toBe(false);
    const lengths = Array.from({ length: 19 }, (__, index) =>
      Math.max(16, Math.floor(((index + 1) * file.length) / 20)),
    );
    // Without the check of a PNG, or the end of a line in a PDF, all is there.
    for (const length of [...lengths, file.length - 9])
      expect([length, await isCut(file.subarray(0, length))]).toEqual([length, true]);
  });

  it.each(FILES.slice(0, 10))('may have data of another program behind it: %s', async (_, make) => {
    const file = Buffer.concat([await make(), Buffer.alloc(5_000, 'SEFT')]);
    expect(await isCut(file)).toBe(false);
  });

  it('is one whose place is reserved but not filled', async () => {
    expect(await isCut(Buffer.alloc(1_000))).toBe(true);
    for (const make of [locatedJpeg, locatedPng]) {
      const file = await make(noisePixels(300, 300));
      expect(await isCut(Buffer.concat([file.subarray(0, 20_000), Buffer.alloc(90_000)]))).toBe(
        true,
      );
    }
    expect(await isCut(Buffer.concat([ftyp, Buffer.alloc(9_000)]))).toBe(true);
  });

  it('is no JPEG with a preview that has an end', async () => {
    const file = await locatedJpeg(pixels);
    const preview = Buffer.concat([
      Buffer.from([0xff, 0xed, 0, 6]),
      Buffer.from('\u00ff\u00d9ab', 'latin1'),
    ]);
    const whole = Buffer.concat([file.subarray(0, 2), preview, file.subarray(2)]);
    expect(await isCut(whole)).toBe(false);
    expect(await isCut(whole.subarray(0, whole.length - 1))).toBe(true);
    expect(await isCut(whole.subarray(0, 30))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a text', 'coast'],
    ['GIF89a without its end', 'GIF89a'],
    ['an unknown kind', 'FOVb'],
    ['a raw file', 'IIU\0\u0008\0\0\0\0'],
  ])('is not assumed where the format does not show it: %s', async (_, text) => {
    expect(await isCut(Buffer.from(text))).toBe(false);
  });

  it('reads little of a long file', async () => {
    const size = 3_000_000_000;
    let read = 0;
    const source = {
      size,
      read: (start: number, end: number): Promise<Uint8Array> => {
        read += end - start;
        const bytes = new Uint8Array(end - start);
        if (start === 0) bytes.set(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
        if (end === size) bytes.set(Buffer.from('IEND'), bytes.length - 8);
        return Promise.resolve(bytes);
      },
    };
    expect(await isCutShort(ByteReader.over(source, LIMITS))).toBe(false);
    expect(read).toBeLessThan(200_000);
  });
});
