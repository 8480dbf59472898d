import { describe, expect, it } from '@jest/globals';
import {
  planMetadata,
  UnwritableError,
  type ByteSource,
  type MetadataChanges,
} from '../../../packages/image-metadata/index.js';
import {
  locatedJpeg,
  locatedPng,
  locatedPsd,
  locatedTiff,
  noisePixels,
  PLACE_WORDS,
  psdFile,
  readIptc,
  resourceIn,
  tiffFile,
  withSegment,
} from '../../support/located-pictures.js';
import { sourceOf, written } from '../../support/image-metadata.js';
import { library } from '../../support/pictures.js';
import fc from '../../support/properties.js';

const KEEP: MetadataChanges = { removeLocation: false, creator: '', copyright: '', contact: '' };
const REMOVE: MetadataChanges = { ...KEEP, removeLocation: true };
const SIGN: MetadataChanges = {
  ...KEEP,
  creator: 'Zoë & <Søn>',
  copyright: '© 2026 Zoë',
  contact: 'zoe@example.com',
};
const BOTH: MetadataChanges = { ...SIGN, removeLocation: true };

async function rewrite(file: Uint8Array, changes: MetadataChanges): Promise<Buffer> {
  return written(await planMetadata(sourceOf(file), changes));
}

/** What of the words about a place is in a file. */
function places(file: Buffer): readonly string[] {
  const text = file.toString('latin1');
  return PLACE_WORDS.filter((word) => text.includes(word));
}

const small = noisePixels(40, 30);
const deep = noisePixels(23, 17, 16);

/** Files with a location, and how their pixels are read independently of our code. */
const files: readonly (readonly [
  name: string,
  file: () => Buffer | Promise<Buffer>,
  pixels: (file: Buffer) => Buffer | Promise<Buffer>,
])[] = [
  ['TIFF, little-endian', () => locatedTiff(small), decoded],
  ['TIFF, big-endian, 16 bit', () => locatedTiff(deep, true), decoded],
  ['PSD', () => locatedPsd(small), (file) => file.subarray(-small.data.length)],
  ['PSB, 16 bit', () => locatedPsd(deep, true), (file) => file.subarray(-deep.data.length)],
  ...(library === undefined
    ? []
    : ([
        ['JPEG', () => locatedJpeg(small), decoded],
        ['PNG', () => locatedPng(small), decoded],
        ['PNG, 16 bit', () => locatedPng(deep), decoded],
      ] as const)),
];

/** Decoded by sharp; where it is missing, the strip of a TIFF file, which begins at byte 8. */
async function decoded(file: Buffer): Promise<Buffer> {
  if (library === undefined) return file.subarray(8, 8 + small.width * small.height);
  return library(file).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
}

describe.each(files)('the metadata of a %s', (_name, make, pixelsOf) => {
  it('lose every location, and nothing else', async () => {
    const file = await make();
    expect(places(file).length).toBeGreaterThan(1);
    const changed = await rewrite(file, REMOVE);
    expect(places(changed)).toEqual([]);
    expect(await pixelsOf(changed)).toEqual(await pixelsOf(file));
    const text = changed.toString('latin1');
    for (const word of [
      '50mm',
      'Camera & Sons',
      'xmp.did:1',
      'An ingredient',
      'Nobody',
      '&lt;1&gt;',
    ])
      expect(text).toContain(word);
  });

  it('get creator, copyright and contact, and keep the location', async () => {
    const file = await make();
    const changed = await rewrite(file, SIGN);
    const text = changed.toString('utf8');
    expect(text).toContain('<rdf:li>Zoë &amp; &lt;Søn&gt;</rdf:li>');
    expect(text).toContain('<Iptc4xmpCore:CiEmailWork>zoe@example.com</Iptc4xmpCore:CiEmailWork>');
    expect(text).toContain('<rdf:Description rdf:about="uuid:7" xmlns:rdf=');
    expect(text).not.toContain('Nobody</rdf:li>');
    expect(places(changed)).toEqual(places(file));
    expect(await pixelsOf(changed)).toEqual(await pixelsOf(file));
  });

  it('are the same after a second time', async () => {
    const once = await rewrite(await make(), BOTH);
    expect(places(once)).toEqual([]);
    expect(await pixelsOf(await rewrite(once, BOTH))).toEqual(await pixelsOf(once));
  });

  it('are refused or rewritten in a damaged file, and its pixels stay', async () => {
    const file = await make();
    // The metadata come first, but for TIFF files, in which they come last.
    await fc.assert(
      fc.asyncProperty(
        fc.nat(file.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (place, change, isCut) => {
          const damaged = Buffer.from(isCut ? file.subarray(0, place) : file);
          if (!isCut) damaged[place] = (damaged[place] ?? 0) ^ change;
          const changed = await rewrite(damaged, BOTH).catch((error: unknown) => {
            expect(error).toBeInstanceOf(UnwritableError);
            return null;
          });
          if (changed === null || isCut) return;
          const [before, after] = await Promise.allSettled([pixelsOf(damaged), pixelsOf(changed)]);
          if (before.status === 'fulfilled') expect(after).toEqual(before);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the IPTC block', () => {
  const expected = {
    '1:90': '\u001b%G',
    '2:0': '\0\u0004',
    '2:5': 'Küste',
    '2:80': 'Zoë & <Søn>',
    '2:116': '© 2026 Zoë',
    '2:118': 'zoe@example.com',
  };

  it('replaces the old one in a PSD, with text in UTF-8, and without its digest', async () => {
    const psd = await rewrite(locatedPsd(small), BOTH);
    const resources = psd.subarray(34, 34 + psd.readUInt32BE(30));
    expect(readIptc(resourceIn(resources, 1028) ?? Buffer.alloc(0))).toEqual(expected);
    expect(resourceIn(resources, 1061)).toBeUndefined();
    expect(resourceIn(resources, 1005)).toEqual(Buffer.alloc(16));
  });

  it('is made where a PSD has no metadata', async () => {
    const psd = await rewrite(psdFile(small, Buffer.alloc(0)), SIGN);
    const resources = psd.subarray(34, 34 + psd.readUInt32BE(30));
    expect(readIptc(resourceIn(resources, 1028) ?? Buffer.alloc(0))).toMatchObject({
      '2:80': SIGN.creator,
    });
    expect(resourceIn(resources, 1060)?.toString()).toContain('© 2026 Zoë');
  });

  it('cuts a name to 32 bytes between characters; XMP has it whole', async () => {
    const creator = 'é'.repeat(15) + '日本';
    const psd = await rewrite(psdFile(small, Buffer.alloc(0)), { ...KEEP, creator });
    expect(readIptc(resourceIn(psd.subarray(34), 1028) ?? Buffer.alloc(0))['2:80']).toBe(
      'é'.repeat(15),
    );
    expect(psd.toString('utf8')).toContain(creator);
  });

  if (library !== undefined) {
    const sharp = library;
    it.each([
      ['JPEG', () => locatedJpeg(small)],
      ['TIFF', () => Promise.resolve(locatedTiff(small))],
    ])('is read by sharp from a %s, with EXIF and the colour profile', async (_name, make) => {
      const file = await make();
      const { iptc, icc, xmp } = await sharp(await rewrite(file, BOTH)).metadata();
      const block = iptc && (resourceIn(iptc.subarray(iptc.indexOf('8BIM')), 1028) ?? iptc);
      expect(readIptc(block ?? Buffer.alloc(0))).toEqual(expected);
      expect(icc).toEqual((await sharp(file).metadata()).icc);
      expect(xmp?.toString()).toContain('CiEmailWork');
    });

    it('comes with the names in the EXIF data of a JPEG', async () => {
      const { exif } = await sharp(await rewrite(await locatedJpeg(small), BOTH)).metadata();
      expect(exif?.toString('utf8')).toContain('© 2026 Zoë');
      expect(exif?.toString('latin1')).toContain('50mm');
    });
  }
});

describe('a file that cannot be changed safely', () => {
  const block = (key: string, length: number): Buffer => {
    const bytes = Buffer.alloc(12 + length);
    bytes.write(`8BIM${key}`, 'latin1');
    bytes.writeUInt32BE(length, 8);
    return bytes;
  };
  const located = locatedTiff(small);
  const refused: readonly (readonly [string, () => Buffer | Promise<Buffer>])[] = [
    ['a PDF', () => Buffer.from('%PDF-1.7\n')],
    ['an empty file', () => Buffer.alloc(0)],
    ['a BigTIFF file', () => Buffer.from('II+\0\b\0\0\0')],
    ['a TIFF directory that leads to itself', () => Buffer.from(loop())],
    ['GPS tags in the pixels of a TIFF file', () => gpsInPixels()],
    ['a PSD with an embedded smart object', () => locatedPsd(small, false, block('lnkD', 8))],
    [
      'a PSD with a location in a layer',
      () => locatedPsd(small, true, Buffer.from('…exif:GPSLatitude')),
    ],
    ['a TIFF file with an embedded smart object', () => tiffWithLayers('MIB8Dknl\x08\0\0\0')],
    [
      'a TIFF file with a location in a layer, and with XMP',
      () => tiffWithLayers('…exif:GPSLatitude', { 700: { bytes: Buffer.from('<x/>') } }),
    ],
    ['XMP with a document type', () => psdWithXmp('<!DOCTYPE x [<!ENTITY a "b">]><x/>')],
    ['XMP that is not well-formed', () => psdWithXmp('<x:xmpmeta><a></b></x:xmpmeta>')],
    ['XMP in UTF-16', () => psdWithXmp('\ufeff<x/>', 'utf16le')],
  ];

  function loop(): Buffer {
    const file = Buffer.from(located);
    const first = file.readUInt32LE(4);
    file.writeUInt32LE(first, first + 2 + 12 * file.readUInt16LE(first));
    return file;
  }
  /** The GPS directory is said to be where the pixels are, which look like one. */
  function gpsInPixels(): Buffer {
    const pixels = noisePixels(40, 30);
    pixels.data.fill(0, 0, 64);
    pixels.data.writeUInt16LE(1, 0);
    Buffer.from([2, 0, 2, 0, 2, 0, 0, 0, 0x4e, 0, 0, 0]).copy(pixels.data, 2);
    return tiffFile({ 34853: { long: [8] } }, false, pixels);
  }
  function psdWithXmp(text: string, encoding: BufferEncoding = 'utf8'): Buffer {
    const xmp = Buffer.from(text, encoding);
    const head = Buffer.from('8BIM\x04\x24\0\0\0\0\0\0', 'latin1');
    head.writeUInt32BE(xmp.length, 8);
    return psdFile(small, Buffer.concat([head, xmp, Buffer.alloc(xmp.length % 2)]));
  }
  function tiffWithLayers(layers: string, tags = {}): Buffer {
    const bytes = Buffer.from(`Adobe Photoshop Document Data Block\0${layers}`, 'latin1');
    return tiffFile({ 37724: { bytes }, ...tags }, false, small);
  }

  it.each(refused)('is refused: %s', async (_name, make) => {
    await expect(rewrite(await make(), BOTH)).rejects.toBeInstanceOf(UnwritableError);
  });

  it('is not a PSD whose smart objects are only linked, or have gone', async () => {
    const layers = Buffer.concat([block('lnkE', 8), block('lnk2', 0), Buffer.from('8BIM')]);
    expect(places(await rewrite(locatedPsd(small, false, layers), REMOVE))).toEqual([]);
  });

  it('is not a TIFF file with layers that have none', async () => {
    const tiff = tiffWithLayers('MIB8ryaL\x08\0\0\0 MIB82knl\0\0\0\0');
    expect((await rewrite(tiff, REMOVE)).length).toBe(tiff.length);
  });

  if (library !== undefined) {
    it.each<[string, (jpeg: Buffer) => Buffer]>([
      [
        'further segments',
        (jpeg) => withSegment(jpeg, 0xeb, Buffer.from('content credentials: London')),
      ],
      [
        'further pictures',
        (jpeg) => Buffer.concat([jpeg, Buffer.from('\xff\xd8London', 'latin1')]),
      ],
      [
        'more XMP',
        (jpeg) =>
          withSegment(jpeg, 0xe1, Buffer.from('http://ns.adobe.com/xmp/extension/\0 London')),
      ],
    ])('loses %s of a JPEG with its location', async (_name, add) => {
      const jpeg = add(await locatedJpeg(small));
      expect(places(await rewrite(jpeg, REMOVE))).toEqual([]);
      expect(places(await rewrite(jpeg, SIGN))).toContain('London');
    });
  }
});

describe('the memory for a rewrite', () => {
  it('does not grow with the file', async () => {
    const wide = noisePixels(2, 2);
    const psd = locatedPsd(wide);
    const size = 40e9;
    let bytes = 0;
    const source: ByteSource = {
      size,
      read(start, end) {
        bytes += end - start;
        const part = new Uint8Array(end - start);
        part.set(psd.subarray(start, Math.min(end, psd.length)));
        return Promise.resolve(part);
      },
    };
    const { pieces } = await planMetadata(source, BOTH);
    expect(pieces[pieces.length - 1]).toEqual({
      from: psd.length - wide.data.length - 6,
      to: size,
    });
    expect(bytes).toBeLessThan(500_000);
  });
});
