import {
  boolean,
  integer,
  literal,
  maxValue,
  minValue,
  number,
  object,
  optional,
  picklist,
  pipe,
  variant,
  type InferOutput,
} from 'valibot';

/** The most pages of a document, and the longest video, in seconds: what has more is not believed. */
export const MAX_PAGES = 100_000;
export const MAX_DURATION = 7 * 24 * 3600;

/** The latest time code of a first frame: 24 hours at {@link MAX_FRAME_RATE}. */
export const MAX_TIME_CODE = 24 * 3600 * 1000;

/** The highest frame rate that is believed, in frames per second. */
export const MAX_FRAME_RATE = 1000;

/** The codecs with a name, as people know them. */
export const VIDEO_CODECS = ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'prores', 'other'] as const;
export const AUDIO_CODECS = ['aac', 'opus', 'vorbis', 'mp3', 'pcm', 'other'] as const;

/** Whether a media type is that of a film. */
export function isVideoType(mediaType: string | undefined): boolean {
  return mediaType?.startsWith('video/') === true;
}

/** What is known of a document or a video, besides its size in pixels and its time of capture. Unknown values are missing. */
export const MEDIA_INFO = variant('kind', [
  object({
    kind: literal('document'),
    pages: pipe(number(), integer(), minValue(1), maxValue(MAX_PAGES)),
  }),
  object({
    kind: literal('video'),
    /** In seconds. */
    duration: optional(pipe(number(), minValue(0), maxValue(MAX_DURATION))),
    /** In frames per second, on average. */
    frameRate: optional(pipe(number(), minValue(0), maxValue(MAX_FRAME_RATE))),
    videoCodec: optional(picklist(VIDEO_CODECS)),
    /** Missing without sound. */
    audioCodec: optional(picklist(AUDIO_CODECS)),
    /** The time code of the first frame: how many frames it is after 00:00:00:00. */
    timeCode: optional(
      object({
        frames: pipe(number(), integer(), minValue(0), maxValue(MAX_TIME_CODE)),
        isDropFrame: boolean(),
      }),
    ),
    /** Whether its colours have a high dynamic range (PQ or HLG). */
    isHdr: optional(boolean()),
  }),
]);

/** See {@link MEDIA_INFO}. */
export type MediaInfo = Readonly<InferOutput<typeof MEDIA_INFO>>;
