import type { Sharp } from './inspect-image.js';
import { LOGO_BYTES, LOGO_SIDES, type SentLogo } from './image-info.js';

/** The formats of a logo, and how many pixels it may have. */
const FORMATS: ReadonlySet<string | undefined> = new Set(['png', 'jpeg', 'webp']);
const MAX_PIXELS = 50_000_000;

/** Tried one after the other, until the logo has few enough bytes. */
const QUALITIES = [90, 70, 40] as const;

/**
 * Makes the logo of a studio: in sRGB, without metadata, and no larger than {@link LOGO_SIDES}.
 * @returns undefined when the picture cannot be read, or has another format
 */
export async function makeLogo(library: Sharp, bytes: Buffer): Promise<SentLogo | undefined> {
  const source = library(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  if (!FORMATS.has((await source.metadata()).format)) {
    return undefined;
  }
  const small = source
    .autoOrient()
    .resize({ ...LOGO_SIDES, fit: 'inside', withoutEnlargement: true });
  for (const quality of QUALITIES) {
    const { data, info } = await small
      .clone()
      .webp({ quality })
      .toBuffer({ resolveWithObject: true });
    if (data.length <= LOGO_BYTES) {
      return { picture: data.toString('base64'), width: info.width, height: info.height };
    }
  }
  return undefined;
}
