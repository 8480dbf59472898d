import type { ByteReader } from '../../../../packages/image-metadata/index.js';
import { MAX_SIDE } from '../image-info.js';
import { MAX_DURATION, MAX_FRAME_RATE, MAX_TIME_CODE, type MediaInfo } from '../media-info.js';
import { readMovie } from './read-movie.js';
import { readWebm } from './read-webm.js';

/** A film with its facts, as the service stores them. Only possible values are in it. */
export interface ReadVideo {
  readonly width?: number;
  readonly height?: number;
  readonly capturedAt?: string;
  readonly media: Extract<MediaInfo, { readonly kind: 'video' }>;
}

/** Durations and frame rates have so many digits behind the point. */
const DIGITS = 1000;

/**
 * Reads the facts of an MP4, MOV, M4V or WebM from its heads, without its frames. Nothing in the file is trusted.
 * @returns undefined when the file has no film
 */
export async function readVideo(reader: ByteReader): Promise<ReadVideo | undefined> {
  const facts = (await readWebm(reader)) ?? (await readMovie(reader));
  if (facts === undefined) {
    return undefined;
  }
  const { videoCodec, audioCodec, isHdr, capturedAt, timeCode } = facts;
  const sides = [facts.width, facts.height].map((side) => within(side, MAX_SIDE, 1));
  const [width, height] = sides.map((side) => (side === undefined ? undefined : Math.round(side)));
  const duration = within(facts.duration, MAX_DURATION, DIGITS);
  const frameRate = within(facts.frameRate, MAX_FRAME_RATE, DIGITS);
  return {
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(capturedAt !== undefined && { capturedAt }),
    media: {
      kind: 'video',
      ...(duration !== undefined && { duration }),
      ...(frameRate !== undefined && { frameRate }),
      ...(videoCodec !== undefined && { videoCodec }),
      ...(audioCodec !== undefined && { audioCodec }),
      ...(timeCode !== undefined && timeCode.frames <= MAX_TIME_CODE && { timeCode }),
      ...(isHdr === true && { isHdr }),
    },
  };
}

/** A positive value up to a limit, rounded. */
function within(value: number | undefined, most: number, digits: number): number | undefined {
  const rounded = value === undefined ? Number.NaN : Math.round(value * digits) / digits;
  return rounded > 0 && rounded <= most ? rounded : undefined;
}
