import {
  array,
  boolean,
  integer,
  maxLength,
  maxValue,
  minLength,
  minValue,
  number,
  object,
  optional,
  pipe,
  regex,
  string,
  type InferOutput,
} from 'valibot';

/** The longest texts, in UTF-16 code units, and the most keywords. */
export const TEXT_LIMITS = {
  name: 128,
  title: 256,
  caption: 2000,
  keyword: 64,
  keywords: 100,
} as const;

/** The believable values: seconds, f-number, ISO speed, millimetres, stars. */
export const NUMBER_LIMITS = {
  time: { least: 1e-6, most: 86_400 },
  aperture: { least: 0.1, most: 1000 },
  iso: { least: 1, most: 10_000_000 },
  focalLength: { least: 0.1, most: 100_000 },
  rating: { least: 1, most: 5 },
} as const;

/** Control characters, and halves of a surrogate pair, which the database refuses. Captions may have line breaks. */
const NO_CONTROLS = /^[^\p{Cc}\p{Cs}]*$/u;
const NO_CONTROLS_BUT_BREAKS = /^(?:\n|[^\p{Cc}\p{Cs}])*$/u;

function text(most: number, allowed = NO_CONTROLS) {
  return optional(pipe(string(), minLength(1), maxLength(most), regex(allowed)));
}

function measure({ least, most }: { least: number; most: number }) {
  return optional(pipe(number(), minValue(least), maxValue(most)));
}

/** A file's own information about its picture. Unknown values are missing. */
export const PICTURE_INFO = object({
  /** Maker and model. */
  camera: text(TEXT_LIMITS.name),
  lens: text(TEXT_LIMITS.name),
  exposure: optional(
    object({
      /** In seconds. */
      time: measure(NUMBER_LIMITS.time),
      /** The f-number. */
      aperture: measure(NUMBER_LIMITS.aperture),
      iso: measure(NUMBER_LIMITS.iso),
      /** In millimetres. */
      focalLength: measure(NUMBER_LIMITS.focalLength),
    }),
  ),
  title: text(TEXT_LIMITS.title),
  /** May have several lines. */
  caption: text(TEXT_LIMITS.caption, NO_CONTROLS_BUT_BREAKS),
  keywords: optional(
    pipe(
      array(pipe(string(), minLength(1), maxLength(TEXT_LIMITS.keyword), regex(NO_CONTROLS))),
      minLength(1),
      maxLength(TEXT_LIMITS.keywords),
    ),
  ),
  creator: text(TEXT_LIMITS.title),
  copyright: text(TEXT_LIMITS.title),
  /** In stars. */
  rating: optional(
    pipe(
      number(),
      integer(),
      minValue(NUMBER_LIMITS.rating.least),
      maxValue(NUMBER_LIMITS.rating.most),
    ),
  ),
  /** Whether the file has the place where the picture was taken. The place itself is not read. */
  hasLocation: optional(boolean()),
});

/** See {@link PICTURE_INFO}. */
export type PictureInfo = Readonly<InferOutput<typeof PICTURE_INFO>>;

/** The texts that a search looks through, besides the name of the file. */
export function searchedTexts({
  title,
  caption,
  keywords = [],
  camera,
  lens,
}: PictureInfo): string {
  return [title, ...keywords, camera, lens, caption].filter((one) => one !== undefined).join('\n');
}
