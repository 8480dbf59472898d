import {
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  optional,
  pipe,
  regex,
  string,
  union,
  type InferOutput,
} from 'valibot';

/** The largest thumbnail that is made, in bytes. */
export const PICTURE_BYTES = 20 * 1024;

/** The media type of every thumbnail that is made. */
export const PICTURE_TYPE = 'image/webp';

/** When a picture was taken: `YYYY-MM-DDThh:mm:ss`, with `+hh:mm` where the camera knew its zone. */
const CAPTURED_AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?$/;

/** The longest side that is believed, in pixels. */
const MAX_SIDE = 1_000_000;

const SIDE = pipe(number(), integer(), minValue(1), maxValue(MAX_SIDE));

/** A picture as base64: it comes from another process, and goes into an SQL statement. */
const PICTURE = pipe(
  string(),
  maxLength(Math.ceil(PICTURE_BYTES / 3) * 4),
  // RIFF, what every WebP begins with.
  regex(/^UklGR[\w+/]+={0,2}$/),
);

/** What was found out about a picture. */
const LOOK = object({
  /** In pixels, after turning it as it is shown. */
  width: optional(SIDE),
  height: optional(SIDE),
  /** See {@link CAPTURED_AT}. */
  capturedAt: optional(pipe(string(), regex(CAPTURED_AT))),
  /** A small WebP, as base64. */
  picture: optional(PICTURE),
});

/** What was found out about a picture; what is not known is missing. */
export type Look = Readonly<InferOutput<typeof LOOK>>;

/** The messages of the process that looks at pictures. A hostile file may control that process, so all is checked. */
export const SAID = union([
  object({ said: literal('ready') }),
  object({ said: literal('no library') }),
  object({ said: literal('looked'), look: LOOK }),
]);

/** One checked message, see {@link SAID}. */
export type Said = InferOutput<typeof SAID>;

/** A file to look at. */
export interface LookOrder {
  /** Its path. */
  readonly file: string;
  /** Its media type, by its bytes. */
  readonly type: string;
  /** Whether the whole file is there, or only its beginning. */
  readonly isWhole: boolean;
}
