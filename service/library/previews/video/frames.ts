import { FRAMES_BYTES, type ImageJob } from '../image-info.js';
import type { Sharp } from '../inspect-image.js';
import type { Ffmpeg } from './ffmpeg.js';
import type { ReadVideo } from './read-video.js';

/** The box of each frame, in pixels; the same shape as in `service/client/film-frames.ts`, which has ten, too. */
const BOX = { width: 160, height: 90 } as const;

/** In which order frames are drawn: if there is no time for all, those that are drawn are spread over the film. */
const ORDER = [4, 9, 0, 6, 2, 8, 1, 5, 3, 7];
const COUNT = ORDER.length;

/** The fewest frames that are drawn; a film with less has a poster only. */
const MIN_DRAWN = 3;

/** No further frame is begun after this time, in milliseconds. */
const WITHIN_MS = 25_000;

/** Of WebP. The first one with few enough bytes is used. */
const QUALITIES = [60, 30] as const;

/**
 * Ten frames of a film, evenly spread over its duration and side by side in one picture. Each has black bars where its shape is another
 * one. One that was not drawn is the nearest that was.
 * @returns WebP as base64; undefined when the film is too short or too slow, or only a part of the file is on this machine
 */
export async function framesOf(
  library: Sharp,
  ffmpeg: Pick<Ffmpeg, 'frame'>,
  { file, isWhole, mediaType = '' }: ImageJob,
  { width = 0, height = 0, media }: ReadVideo,
  now = (): number => performance.now(),
): Promise<string | undefined> {
  const { duration = 0, isHdr = false } = media;
  if (!isWhole || width === 0 || height === 0 || duration < 1) {
    return undefined;
  }
  const scale = Math.min(BOX.width / width, BOX.height / height);
  const sides = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const end = now() + WITHIN_MS;
  const drawn = new Map<number, Buffer>();
  for (const index of ORDER) {
    const at = (duration * (index + 0.5)) / COUNT;
    const job = { file, mediaType, at, isHdr, isNearby: true, ...sides };
    const frame = now() < end ? await ffmpeg.frame(job) : undefined;
    if (frame !== undefined) {
      drawn.set(index, frame);
    }
  }
  if (drawn.size < MIN_DRAWN) {
    return undefined;
  }
  const frames = ORDER.map((index) => ({
    input: nearest(drawn, index),
    raw: { ...sides, channels: 3 as const },
    left: BOX.width * index + Math.floor((BOX.width - sides.width) / 2),
    top: Math.floor((BOX.height - sides.height) / 2),
  }));
  const all = { width: BOX.width * COUNT, height: BOX.height, channels: 3 as const };
  const pixels = await library({ create: { ...all, background: '#000' } })
    .composite(frames)
    .removeAlpha()
    .raw()
    .toBuffer();
  for (const quality of QUALITIES) {
    const made = await library(pixels, { raw: all }).webp({ quality, effort: 2 }).toBuffer();
    if (made.length <= FRAMES_BYTES) {
      return made.toString('base64');
    }
  }
  return undefined;
}

function nearest(drawn: ReadonlyMap<number, Buffer>, wanted: number): Buffer {
  const [[, frame] = [0, Buffer.alloc(0)]] = [...drawn].sort(
    ([one], [other]) => Math.abs(one - wanted) - Math.abs(other - wanted),
  );
  return frame;
}
