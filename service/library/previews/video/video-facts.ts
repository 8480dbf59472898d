import type { AUDIO_CODECS, VIDEO_CODECS } from '../media-info.js';

/** What is known of a film. */
export interface VideoFacts {
  /** In pixels, as it is shown. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** See `CAPTURED_AT` in `image-info.ts`. */
  readonly capturedAt?: string | undefined;
  /** In seconds. */
  readonly duration?: number | undefined;
  /** In frames per second, on average. */
  readonly frameRate?: number | undefined;
  readonly videoCodec?: (typeof VIDEO_CODECS)[number] | undefined;
  /** Missing without sound. */
  readonly audioCodec?: (typeof AUDIO_CODECS)[number] | undefined;
  /** The time code of the first frame, see `media-info.ts`. */
  readonly timeCode?: { readonly frames: number; readonly isDropFrame: boolean } | undefined;
  readonly isHdr?: boolean | undefined;
}

/** A clock that was never set gives an earlier year. */
const EARLIEST_YEAR = 1990;

/** A moment in UTC, in the form of `image-info.ts`. @param milliseconds since 1970 */
export function momentOf(milliseconds: number): string | undefined {
  const time = new Date(milliseconds);
  const year = time.getUTCFullYear();
  return year >= EARLIEST_YEAR && year <= 9999
    ? `${time.toISOString().slice(0, 19)}+00:00`
    : undefined;
}

/** Transfer functions with a high dynamic range: PQ and HLG, ITU-T H.273. */
export function isHdrTransfer(transfer: number | null): boolean {
  return transfer === 16 || transfer === 18;
}
