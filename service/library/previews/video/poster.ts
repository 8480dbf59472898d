import { PREVIEW_SIDE, type ImageJob, type SentPictures } from '../image-info.js';
import { encodePictures, picturesOf, type Sharp } from '../inspect-image.js';
import type { Ffmpeg } from './ffmpeg.js';
import type { ReadVideo } from './read-video.js';

/** Where a poster is looked for, as parts of the duration. The first frame that is not black counts. */
const PLACES = [0.1, 0.3, 0.5];

/** The most pixels of a poster that an app sent. */
const MAX_PIXELS = 50_000_000;

/** A frame is black if none of its channels is brighter on average, of 255. */
const BLACK = 12;

/**
 * The poster of a film: one of its frames, as preview and thumbnail.
 * @returns undefined when no frame can be drawn, or only a part of the file is on this machine
 */
export async function posterOf(
  library: Sharp,
  ffmpeg: Ffmpeg,
  { file, isWhole, mediaType = '' }: ImageJob,
  { width = 0, height = 0, media }: ReadVideo,
): Promise<SentPictures | undefined> {
  if (!isWhole || width === 0 || height === 0) {
    return undefined;
  }
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height));
  const sides = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  let poster: Buffer | undefined;
  for (const place of PLACES) {
    const at = (media.duration ?? 0) * place;
    const frame = await ffmpeg.frame({
      ...{ file, mediaType, at, isHdr: media.isHdr === true },
      ...sides,
    });
    poster ??= frame;
    if (frame !== undefined && !(await isBlack(library, frame, sides))) {
      poster = frame;
      break;
    }
  }
  return poster && encodePictures(library, { data: poster, info: { ...sides, channels: 3 } });
}

/**
 * The poster that an app sent, as preview and thumbnail.
 * @param sent a JPEG or a PNG, as base64
 * @returns undefined when it cannot be read
 */
export async function posterFrom(library: Sharp, sent: string): Promise<SentPictures | undefined> {
  const bytes = Buffer.from(sent, 'base64');
  return picturesOf(library, () =>
    library(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }),
  );
}

async function isBlack(
  library: Sharp,
  frame: Buffer,
  sides: { readonly width: number; readonly height: number },
): Promise<boolean> {
  const { channels } = await library(frame, { raw: { ...sides, channels: 3 } }).stats();
  return channels.every(({ mean }) => mean < BLACK);
}
