import {
  boolean,
  check,
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
  transform,
  union,
  type InferInput,
  type InferOutput,
} from 'valibot';
import { FILE_LOCATION, type FileLocation } from './file-location.js';
import { MAX_PAGES, MEDIA_INFO } from './media-info.js';
import { PICTURE_INFO } from './picture-info.js';

/** The largest thumbnail that is made, in bytes. */
export const THUMBNAIL_BYTES = 40 * 1024;

/** The longest side of a preview, in pixels, and the largest preview that is made, in bytes. */
export const PREVIEW_SIDE = 2048;
export const PREVIEW_BYTES = 1.5 * 1024 * 1024;

/** The largest picture with frames of a film, in bytes. */
export const FRAMES_BYTES = 96 * 1024;

/**
 * The version of the image worker. Raise it with every change that reads more files, also with that of the image
 * library: the photos that an earlier version could not read are processed again.
 */
export const IMAGE_WORKER_VERSION = 4;

/** The media type of every thumbnail and preview that is made. */
export const PICTURE_TYPE = 'image/webp';

/** When a picture was taken: `YYYY-MM-DDThh:mm:ss`, with `+hh:mm` where the camera knew its zone. */
const CAPTURED_AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?$/;

/** Whether a time of capture has its zone, and so is a moment. */
export function hasZone(capturedAt: string): boolean {
  return /[+-]\d\d:\d\d$/.test(capturedAt);
}

/** The longest side that is believed, in pixels. */
export const MAX_SIDE = 1_000_000;

/** The most bytes that are read for the process at a time. */
export const READ_BYTES = 1024 * 1024;

const OFFSET = pipe(number(), integer(), minValue(0), maxValue(Number.MAX_SAFE_INTEGER));

const SIDE = pipe(number(), integer(), minValue(1), maxValue(MAX_SIDE));

/** A WebP of at most this many bytes, sent as base64. */
function webp(maxBytes: number) {
  return pipe(
    string(),
    maxLength(Math.ceil(maxBytes / 3) * 4),
    transform((text): Buffer => Buffer.from(text, 'base64')),
    check((bytes) => isWebp(bytes) && bytes.length <= maxBytes),
  );
}

/** Whether a file is a WebP by its header: `RIFF`, how many bytes follow, `WEBP`. */
function isWebp(bytes: Buffer): boolean {
  return (
    bytes.length > 12 &&
    bytes.toString('latin1', 0, 4) === 'RIFF' &&
    bytes.readUInt32LE(4) === bytes.length - 8 &&
    bytes.toString('latin1', 8, 12) === 'WEBP'
  );
}

const PREVIEW_SIDES = pipe(SIDE, maxValue(PREVIEW_SIDE));

/** The pictures that were made of a file. */
const PICTURES = object({
  thumbnail: webp(THUMBNAIL_BYTES),
  preview: webp(PREVIEW_BYTES),
  /** The size of the preview, in pixels. */
  width: PREVIEW_SIDES,
  height: PREVIEW_SIDES,
  /** Only of a film, see `video/frames.ts`. */
  frames: optional(webp(FRAMES_BYTES)),
});

/** The thumbnail and the preview of a photo. */
export type Pictures = Readonly<InferOutput<typeof PICTURES>>;

/** The same, as the process sends them. */
export type SentPictures = Readonly<InferInput<typeof PICTURES>>;

/** The height and the width of a logo, in pixels, and the largest one that is made, in bytes. */
export const LOGO_SIDES = { height: 256, width: 1024 } as const;
export const LOGO_BYTES = 128 * 1024;

const LOGO = object({
  picture: webp(LOGO_BYTES),
  /** In pixels. */
  width: pipe(SIDE, maxValue(LOGO_SIDES.width)),
  height: pipe(SIDE, maxValue(LOGO_SIDES.height)),
});

/** The logo of a studio. */
export type Logo = Readonly<InferOutput<typeof LOGO>>;

/** The same, as the process sends it. */
export type SentLogo = Readonly<InferInput<typeof LOGO>>;

/** The longest side of a picture in a mail, in pixels, and the largest one that is made, in bytes. */
export const MAIL_PICTURE_SIDE = 240;
export const MAIL_PICTURE_BYTES = 24 * 1024;

/** The largest picture in web size that is made, in bytes. */
export const WEB_PICTURE_BYTES = 4 * 1024 * 1024;

/** A JPEG, sent as base64. */
const jpeg = (maxBytes: number) =>
  pipe(
    string(),
    maxLength(Math.ceil(maxBytes / 3) * 4),
    transform((text): Buffer => Buffer.from(text, 'base64')),
    check((bytes) => bytes.toString('hex', 0, 3) === 'ffd8ff'),
  );

/** The number of a page, from 1. */
const PAGE = pipe(number(), integer(), minValue(1), maxValue(MAX_PAGES));

/** The details of a picture, a document or a video. */
const FACTS = object({
  /** In pixels, after turning it as it is shown. */
  width: optional(SIDE),
  height: optional(SIDE),
  /** See {@link CAPTURED_AT}. */
  capturedAt: optional(
    pipe(
      string(),
      regex(CAPTURED_AT),
      check((time) => !Number.isNaN(Date.parse(time))),
    ),
  ),
  info: optional(PICTURE_INFO),
  media: optional(MEDIA_INFO),
});

/** The details of a picture; unknown values are missing. */
export type ImageInfo = Readonly<InferOutput<typeof FACTS>>;

/**
 * The messages of the image worker process. A hostile file may control that process, so every message is checked.
 * After `location`, `facts`, `read` and `page` it waits for a {@link Reply}.
 */
export const WORKER_MESSAGE = union([
  /** Without an image library it makes no pictures. */
  object({ type: literal('ready'), makesPictures: boolean() }),
  object({ type: literal('location'), location: FILE_LOCATION }),
  object({ type: literal('facts'), facts: FACTS }),
  object({ type: literal('read'), at: OFFSET, length: pipe(OFFSET, maxValue(READ_BYTES)) }),
  object({ type: literal('result'), pictures: optional(PICTURES) }),
  object({ type: literal('logo'), logo: optional(LOGO) }),
  object({ type: literal('mail'), jpeg: optional(jpeg(MAIL_PICTURE_BYTES)) }),
  object({ type: literal('web'), jpeg: optional(jpeg(WEB_PICTURE_BYTES)) }),
  /** A page of a document, of which there may be no picture. */
  object({ type: literal('page'), page: PAGE, pictures: optional(PICTURES) }),
]);

/** One checked message, see {@link WORKER_MESSAGE}. */
export type WorkerMessage = InferOutput<typeof WORKER_MESSAGE>;

/** A message as the process sends it. */
export type SentMessage = InferInput<typeof WORKER_MESSAGE>;

/** A file to inspect. */
export interface ImageJob {
  /** Its path. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** By its first bytes; a document or a film is read in another way than a picture. */
  readonly mediaType?: string;
  /** Whether the whole file is there, or only its beginning; then the rest is read through {@link InspectionDeps}. */
  readonly isWhole: boolean;
  /** Whether its location is searched. If not, whether it has one is known. */
  readonly findsLocation: boolean;
  readonly hasLocation: boolean;
  /** Whether it is read as a picture. */
  readonly makesPictures: boolean;
  /** The picture that the app sent for a film: a JPEG or a PNG, as base64. */
  readonly poster?: string | undefined;
}

/** Pages of a document to make pictures of: the first one in any case, the others if there is time. */
export interface PagesJob {
  /** The path of the whole file. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** Their numbers, from 1. */
  readonly pages: readonly number[];
}

/** A logo to make, of a PNG, JPEG or WebP as base64. */
export interface LogoJob {
  readonly logo: string;
}

/** A thumbnail, as base64, of which to make a JPEG for a mail. */
export interface MailPictureJob {
  readonly thumbnail: string;
}

/** A preview, as base64, of which to make a JPEG in the same size. */
export interface WebPictureJob {
  readonly web: string;
}

/** A preview, as base64, to be marked with a text. */
export interface WatermarkJob {
  readonly preview: string;
  readonly text: string;
}

/** The reply to a message of the process: its location, facts or page are stored, or these bytes were read, as base64. */
export interface Reply {
  readonly bytes?: string;
}

/** The callbacks of the service while the process inspects a file. */
export interface InspectionDeps {
  /** Stores where the location is, before anything else is read. */
  saveLocation(location: FileLocation): Promise<void>;
  /** Stores the facts. The picture is decoded only afterwards, since that may end the process. */
  saveFacts(facts: ImageInfo): Promise<void>;
  /** Stores a page of a document; without pictures where it cannot be drawn. */
  savePage?(page: number, pictures: Pictures | undefined): Promise<void>;
  /** Reads a piece of the file. */
  read(at: number, length: number): Promise<Buffer>;
}
