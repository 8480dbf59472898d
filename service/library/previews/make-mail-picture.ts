import type { Sharp } from './inspect-image.js';
import { MAIL_PICTURE_BYTES, MAIL_PICTURE_SIDE } from './image-info.js';

/** Tried one after the other, until the picture has few enough bytes. */
const QUALITIES = [75, 50, 30] as const;

/** Makes a small JPEG of a thumbnail: many mail programs show no WebP. Transparent parts become white. */
export async function makeMailPicture(
  library: Sharp,
  thumbnail: Buffer,
): Promise<string | undefined> {
  const small = library(thumbnail, { failOn: 'error' })
    .resize({
      width: MAIL_PICTURE_SIDE,
      height: MAIL_PICTURE_SIDE,
      fit: 'inside',
      withoutEnlargement: true,
    })
    .flatten({ background: '#fff' });
  for (const quality of QUALITIES) {
    const jpeg = await small.clone().jpeg({ quality }).toBuffer();
    if (jpeg.length <= MAIL_PICTURE_BYTES) {
      return jpeg.toString('base64');
    }
  }
  return undefined;
}
