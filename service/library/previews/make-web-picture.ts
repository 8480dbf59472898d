import type { Sharp } from './inspect-image.js';
import { WEB_PICTURE_BYTES } from './image-info.js';

/** Tried one after the other, until the picture has few enough bytes. */
const QUALITIES = [85, 60] as const;

/** Makes a JPEG of a preview: not every creative app places WebP. Transparent parts become white. */
export async function makeWebPicture(library: Sharp, preview: Buffer): Promise<string | undefined> {
  const picture = library(preview, { failOn: 'error' }).flatten({ background: '#fff' });
  for (const quality of QUALITIES) {
    const jpeg = await picture.clone().jpeg({ quality }).toBuffer();
    if (jpeg.length <= WEB_PICTURE_BYTES) {
      return jpeg.toString('base64');
    }
  }
  return undefined;
}
