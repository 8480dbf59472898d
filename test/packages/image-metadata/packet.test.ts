import { describe, expect, it } from '@jest/globals';
import {
  ByteReader,
  findEmbedded,
  markXmp,
  metadataIn,
  planPacket,
  readMarks,
  UnwritableError,
} from '../../../packages/image-metadata/index.js';
import {
  locatedJpeg,
  locatedPng,
  locatedPsd,
  locatedTiff,
  noisePixels,
  tiffFile,
  withChunk,
  withSegment,
} from '../../support/located-pictures.js';
import { sourceOf, written } from '../../support/image-metadata.js';
import { library } from '../../support/pictures.js';

const MARKS = { rating: 4, label: 'Grün' };
const small = noisePixels(40, 30);

const files: readonly (readonly [name: string, file: () => Buffer | Promise<Buffer>])[] = [
  ['TIFF, little-endian', () => locatedTiff(small)],
  ['TIFF, big-endian, 16 bit', () => locatedTiff(noisePixels(23, 17, 16), true)],
  ['TIFF without XMP', () => tiffFile({}, false, small)],
  ['PSD', () => locatedPsd(small)],
  ['PSB, 16 bit', () => locatedPsd(noisePixels(23, 17, 16), true)],
  ...(library === undefined
    ? []
    : ([
        ['JPEG', () => locatedJpeg(small)],
        ['JPEG without XMP', () => plain('jpeg')],
        ['PNG', () => locatedPng(small)],
        ['PNG without XMP', () => plain('png')],
      ] as const)),
];

function plain(format: 'jpeg' | 'png'): Promise<Buffer> {
  if (!library) throw new Error('no library');
  const { data, width, height } = small;
  return library(data, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

function mark(packet: Uint8Array | null): Uint8Array {
  return markXmp(packet, MARKS);
}

async function packetIn(file: Uint8Array): Promise<Buffer | null> {
  const { xmp } = await findEmbedded(ByteReader.overBytes(file));
  return xmp && Buffer.from((await xmp.read(0, xmp.size)) ?? []);
}

async function blocks(file: Uint8Array): Promise<readonly string[]> {
  const found = await metadataIn(ByteReader.overBytes(file));
  const texts: string[] = [];
  for (const { kind, data } of found)
    if (kind !== 'xmp')
      texts.push(`${kind} ${Buffer.from((await data.read(0, data.size)) ?? []).toString('hex')}`);
  return texts;
}

async function rewrite(file: Uint8Array): Promise<Buffer> {
  const source = sourceOf(file);
  const pieces = await planPacket(source, mark);
  if (!pieces) throw new Error('nothing changes');
  return written({ source, pieces });
}

describe.each(files)('the packet of a %s', (name, make) => {
  it('gets the marks, and everything else stays', async () => {
    const file = await make();
    const before = await packetIn(file);
    const changed = await rewrite(file);
    expect(await packetIn(changed)).toEqual(Buffer.from(mark(before)));
    if (!name.startsWith('TIFF')) {
      expect(await blocks(changed)).toEqual(await blocks(file));
      expect(without(changed, mark(before))).toEqual(without(file, before));
    }
    if (library && !name.startsWith('PS'))
      expect(await library(changed).raw().toBuffer()).toEqual(await library(file).raw().toBuffer());
  });

  it('is not written a second time', async () => {
    const changed = await rewrite(await make());
    expect(await planPacket(sourceOf(changed), mark)).toBeNull();
    expect(readMarks((await packetIn(changed)) ?? Buffer.alloc(0))).toEqual(MARKS);
  });

  it('is refused or written in a file that is cut short', async () => {
    const file = await make();
    for (let length = 0; length < Math.min(file.length, 4000); length += 13)
      await planPacket(sourceOf(file.subarray(0, length)), mark).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UnwritableError);
      });
  });
});

/** A file without its packet and the lengths and sums around it: what has to stay. */
function without(file: Buffer, packet: Uint8Array | null): string {
  const at = packet ? file.indexOf(packet) : -1;
  const rest =
    packet && at >= 0
      ? Buffer.concat([file.subarray(0, at), file.subarray(at + packet.length)])
      : file;
  return rest
    .toString('latin1')
    .replace(/\xff\xe1[^]{2}http:\/\/ns\.adobe\.com\/xap\/1\.0\/\0/, '')
    .replace(/[^]{4}iTXtXML:com\.adobe\.xmp\0+[^]{4}/, '')
    .replace(/^(8BPS[^]{26})[^]*?(8BIM)/, '$1$2')
    .replace(new RegExp(`(8BIM${String.fromCharCode(4)}\\$\0\0)[^]{4}\0?`), '$1');
}

describe.each(library ? ['JPEG'] : [])('a %s with EXIF data only', () => {
  it('gets the packet behind them, since EXIF comes first', async () => {
    const file = withSegment(await plain('jpeg'), 0xe1, Buffer.from('Exif\0\0MM\0*'));
    const changed = await rewrite(file);
    const [exif, xmp] = [changed.indexOf('Exif\0'), changed.indexOf('http://ns.adobe.com/xap')];
    expect(exif).toBeGreaterThan(0);
    expect(xmp).toBeGreaterThan(exif);
  });

  it('is refused without a scan', async () => {
    const file = await plain('jpeg');
    const start = file.subarray(0, file.indexOf(Buffer.of(0xff, 0xda)));
    await expect(planPacket(sourceOf(start), mark)).rejects.toThrow('damaged segment');
  });
});

describe('a file with XMP that is not understood', () => {
  it.each([
    ['a GIF', () => Buffer.from('GIF89a')],
    ['an empty file', () => Buffer.alloc(0)],
    ...(library
      ? ([
          ['two XMP segments', async () => twice(await locatedJpeg(small))],
          [
            'a compressed packet of a PNG',
            async () =>
              withChunk(
                await plain('png'),
                'iTXt',
                Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0x', 'latin1'),
              ),
          ],
        ] as const)
      : []),
  ])('is refused: %s', async (_what, make) => {
    await expect(planPacket(sourceOf(await make()), mark)).rejects.toThrow(UnwritableError);
  });

  it.each(library ? ['a packet that does not fit into a segment'] : [])(
    'is refused: %s',
    async () => {
      const long = `http://ns.adobe.com/xap/1.0/\0<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""/>${' '.repeat(65_350)}</rdf:RDF>`;
      const file = withSegment(await plain('jpeg'), 0xe1, Buffer.from(long));
      await expect(planPacket(sourceOf(file), mark)).rejects.toThrow('do not fit');
    },
  );
});

function twice(file: Buffer): Buffer {
  const packet = Buffer.from('http://ns.adobe.com/xap/1.0/\0<a/>');
  return withSegment(file, 0xe1, packet);
}
