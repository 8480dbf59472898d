import { describe, expect, it } from '@jest/globals';
import { crc32 } from 'node:zlib';
import {
  planMetadata,
  readXmp,
  UnwritableError,
  type ByteSource,
} from '../../../packages/image-metadata/index.js';
import {
  iptc,
  photoshopFile,
  tiffFile,
  withResources,
  withSegment,
  xmp,
} from '../../support/camera-files.js';
import { sourceOf, written } from '../../support/image-metadata.js';
import { bigPng, PICTURE } from '../../support/metadata-samples.js';

const TEXTS = { removeLocation: false, creator: 'Zoë', copyright: '', contact: '' };
const MIB = 1024 * 1024;

/** Resources of which every second one is rewritten. */
const resources = (pairs: number): Buffer =>
  photoshopFile(
    Array.from({ length: pairs }, () => [
      [1028, Buffer.alloc(0)] as const,
      [1, Buffer.alloc(0)] as const,
    ]).flat(),
  );
const block = (dataSets: number): Buffer =>
  withResources(PICTURE, [
    [1028, iptc(Array.from({ length: dataSets }, () => [25, 'a'] as const))],
  ]);
const segments = (count: number): Buffer => {
  const segment = withSegment(
    PICTURE,
    Buffer.concat([Buffer.from('Photoshop 3.0\0'), Buffer.alloc(65_000)]),
    0xed,
  ).subarray(2, 2 - PICTURE.length);
  const [start, rest] = [PICTURE.subarray(0, 2), PICTURE.subarray(2)];
  return Buffer.concat([start, ...Array.from({ length: count }, () => segment), rest]);
};
const entries = (count: number): Buffer =>
  tiffFile(Object.fromEntries(Array.from({ length: count }, (_, index) => [50_000 + index, 1])));
const directories = (count: number): Buffer =>
  tiffFile({ 0x014a: Array.from({ length: count - 1 }, () => ({ 0x0112: 1 })) });

describe('what is rewritten in memory', () => {
  it.each<[string, (count: number) => Buffer, number]>([
    ['pieces', resources, 10_000],
    ['data sets', block, 10_000],
    ['entries of a directory', entries, 4096],
    ['directories', directories, 256],
  ])('has no more %s than the bound', async (_name, make, most) => {
    await planMetadata(sourceOf(make(most - 10)), TEXTS);
    const rewriting = planMetadata(sourceOf(make(most + 1)), TEXTS);
    await expect(rewriting).rejects.toBeInstanceOf(UnwritableError);
  });

  it('has no more bytes of image resources than the bound', async () => {
    const file = sourceOf(segments(600));
    await expect(planMetadata(file, TEXTS)).rejects.toThrow('the image resources are too long');
    expect(file.bytes).toBeLessThan(18 * MIB);
  });

  it('is no block that is longer than the bound', async () => {
    const head = photoshopFile([[1060, Buffer.alloc(0)]]);
    const length = 40 * MIB;
    // The length of the section, and that of its only resource.
    head.writeUInt32BE(length + 12, 30);
    head.writeUInt32BE(length, 34 + 8);
    let bytes = 0;
    const source: ByteSource = {
      size: length + 1000,
      read(start, end) {
        bytes += end - start;
        const part = Buffer.alloc(end - start);
        if (start < 46) head.copy(part, 0, start, 46);
        return Promise.resolve(part);
      },
    };
    await expect(planMetadata(source, TEXTS)).rejects.toThrow('missing or too long');
    expect(bytes).toBeLessThan(MIB);
  });
});

describe('an XMP packet', () => {
  const read = (attributes: string, elements = '') =>
    readXmp(Buffer.from(xmp(attributes, elements)), ['dc:subject']);
  const levels = (count: number): string => '<a>'.repeat(count) + '</a>'.repeat(count);
  const list = (count: number): string =>
    `<dc:subject><rdf:Bag>${'<rdf:li>a</rdf:li>'.repeat(count)}</rdf:Bag></dc:subject>`;

  it.each<[string, (count: number) => ReturnType<typeof read>, number]>([
    ['levels', (count) => read('', levels(count)), 480],
    ['attributes', (count) => read('a="" '.repeat(count)), 4000],
    ['properties of a name', (count) => read('', '<dc:subject/>'.repeat(count)), 1000],
    ['characters in a name', (count) => read(`${'a'.repeat(count)}=""`), 256],
  ])('is not well-formed with more %s than the bound', (_name, packet, most) => {
    expect(packet(most).isWellFormed).toBe(true);
    expect(packet(most + 100).isWellFormed).toBe(false);
  });

  it('gives as many values, and as long ones, as the bounds', () => {
    expect(read('', list(300)).values.get('dc:subject')).toHaveLength(256);
    const long = read('', `<dc:subject>${'é'.repeat(9000)}</dc:subject>`).values;
    expect(long.get('dc:subject')).toEqual(['é'.repeat(8192)]);
    const cut = read('', `<dc:subject>${'𝄞'.repeat(9000)}</dc:subject>`).values;
    expect(cut.get('dc:subject')?.[0]).toBe('𝄞'.repeat(4096));
  });

  it('is read with its own properties only, by their namespaces', () => {
    const packet = `<x:xmpmeta xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <r:Description dc:subject="loose"/><r:RDF>
      <dc:subject>outside</dc:subject>
      <r:Description xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:dc="http://example.com/">
        <dc:subject>another</dc:subject>
        <d:subject> a &amp; <![CDATA[<b>]]]> &#x1F600; </d:subject>
        <d:part><r:Description d:subject="nested"/></d:part>
      </r:Description></r:RDF></x:xmpmeta>`;
    const { values, places, isWellFormed } = readXmp(Buffer.from(packet), ['dc:subject']);
    expect(values.get('dc:subject')).toEqual([' a & <b>] 😀 ']);
    expect(isWellFormed).toBe(true);
    expect(places.map(({ from, to }) => Buffer.from(packet).toString('utf8', from, to))).toEqual([
      '<d:subject> a &amp; <![CDATA[<b>]]]> &#x1F600; </d:subject>',
    ]);
  });
});

describe('a rewritten file', () => {
  it('is refused with a damaged IPTC block', async () => {
    const file = withResources(PICTURE, [[1028, Buffer.from('?damaged')]]);
    await expect(planMetadata(sourceOf(file), TEXTS)).rejects.toThrow('IPTC block is damaged');
  });

  it('has right checksums in a PNG', async () => {
    const file = await written(await planMetadata(sourceOf(bigPng()), TEXTS));
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
      const end = at + 8 + file.readUInt32BE(at);
      expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    }
  });
});
