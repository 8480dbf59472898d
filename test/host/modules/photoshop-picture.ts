/**
 * The picture of a simulated document. Real pixels, saved as real files that say where they were taken, so that a test can
 * read with another library what the plugin uploads. Colours are not converted: a profile is only a name here.
 */
import type * as LocatedPictures from '../../support/located-pictures.js';
import type { Pixels } from '../../support/located-pictures.js';
import type * as PictureLibrary from '../../support/pictures.js';

/** The profiles that pictures can have, with the names of sharp's. */
const PROFILES: Readonly<Record<string, string>> = {
  'sRGB IEC61966-2.1': 'srgb',
  'Display P3': 'p3',
};

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Sharp is loaded by documents with pictures only. */
async function pictures(): Promise<{
  readonly made: typeof LocatedPictures;
  readonly sharp: NonNullable<(typeof PictureLibrary)['library']>;
}> {
  const made = await import('../../support/located-pictures.js');
  const { library } = await import('../../support/pictures.js');
  if (library === undefined) throw new Error('there is no image library');
  return { made, sharp: library };
}

export function cropPixels({ width, bits, data }: Pixels, bounds: Bounds): Pixels {
  const step = 3 * (bits / 8);
  const rows: Buffer[] = [];
  for (let y = bounds.top; y < bounds.bottom; y += 1)
    rows.push(data.subarray((y * width + bounds.left) * step, (y * width + bounds.right) * step));
  return {
    width: bounds.right - bounds.left,
    height: bounds.bottom - bounds.top,
    bits,
    data: Buffer.concat(rows),
  };
}

export function toEightBits(pixels: Pixels): Pixels {
  if (pixels.bits === 8) return pixels;
  const data = Buffer.alloc(pixels.data.length / 2);
  for (let at = 0; at < data.length; at += 1) data[at] = pixels.data.readUInt16LE(at * 2) >> 8;
  return { ...pixels, bits: 8, data };
}

export async function resizePixels(
  { width, height, bits, data }: Pixels,
  newWidth: number,
  newHeight: number,
): Promise<Pixels> {
  const { sharp } = await pictures();
  const samples = bits === 16 ? new Uint16Array(new Uint8Array(data).buffer) : data;
  const resized = await sharp(samples, { raw: { width, height, channels: 3 } })
    .resize(newWidth, newHeight, { fit: 'fill' })
    .toColourspace(bits === 16 ? 'rgb16' : 'srgb')
    .raw({ depth: bits === 16 ? 'ushort' : 'uchar' })
    .toBuffer();
  return { width: newWidth, height: newHeight, bits, data: resized };
}

/** A picture as a file. @param quality  of a JPEG, from 0 to 12 */
export async function encodePicture(
  format: string,
  pixels: Pixels,
  profile: string,
  quality: number,
): Promise<Uint8Array> {
  const { made, sharp } = await pictures();
  const icc = PROFILES[profile];
  if (icc === undefined) throw new Error(`the profile ${profile} is not simulated`);
  switch (format) {
    case 'jpg':
      return made.locatedJpeg(toEightBits(pixels), icc, 20 + quality * 6);
    case 'png':
      return made.locatedPng(pixels, icc);
    case 'tif': {
      const sample = await sharp({
        create: { width: 1, height: 1, channels: 3, background: '#fff' },
      })
        .withIccProfile(icc)
        .png()
        .toBuffer();
      return made.locatedTiff(pixels, false, (await sharp(sample).metadata()).icc);
    }
    case 'psd':
    case 'psb':
      return made.locatedPsd(pixels, format === 'psb');
    default:
      throw new Error(`${format} is not simulated`);
  }
}
