import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { redirectToContent, type ContentAddresses } from '../../content/index.js';
import { sendStatus } from '../../../kernel/http/responses.js';
import {
  PICTURE_TYPE,
  readThumbnail,
  type ThumbnailWorker,
  type Watermarks,
} from '../../previews/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import { canView, type PageHandler } from '../../../identity/index.js';
import type { Photo } from '../data/photo.js';
import type { PhotoThumbnails, ShownPhoto } from '../data/photo-thumbnails.js';
import { redirectToStorage, setFileHeaders } from './send-file.js';

/** Shown when there is no preview. Its colours suit light and dark pages. */
const TILE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56"><rect width="56" height="56" fill="#8a93a6" fill-opacity=".18"/><path d="M12 40l12-14 8 9 5-5 9 10zM38 18h.01" fill="none" stroke="#8a93a6" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** The same for a film. */
const FILM_TILE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56"><rect width="56" height="56" fill="#8a93a6" fill-opacity=".18"/><path d="M14 17h28v22H14zM19 17v22M37 17v22M14 24h5M14 32h5M37 24h5M37 32h5M26 24l5 4-5 4z" fill="none" stroke="#8a93a6" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** How long a browser may keep a picture whose address does not name its version, in seconds. */
const CACHE_SECONDS = 300;

/** How long a request waits for a watermark, in milliseconds. */
const WATERMARK_MS = 15_000;

/** How long it may keep another picture that is shown in place of the wanted one, in seconds. */
const CACHE_PENDING_SECONDS = 5;

/** A redirect to the storage: its address is valid for longer. */
const CACHE_REDIRECT_SECONDS = 300;

const CACHE_FOREVER = 'private, max-age=31536000, immutable';

type Variant = 'thumbnail' | 'preview';

export interface PictureDeps {
  readonly store: Pick<UploadStorage, 'readPreview' | 'readThumbnail' | 'directUrl'>;
  readonly now: () => Date;
  readonly thumbnails: Pick<PhotoThumbnails, 'find' | 'findCurrent'>;
  readonly thumbnailWorker: Pick<ThumbnailWorker, 'enqueue' | 'remake' | 'areMade'>;
}

/** The dependencies of showing pictures to guests. */
export interface GuestPictureDeps extends PictureDeps {
  readonly watermarks: Pick<Watermarks, 'of' | 'preview' | 'thumbnail'>;
}

/** What to show, and to whom. */
export interface Wanted {
  readonly variant: Variant;
  /** Whether the address always leads to this picture; see {@link isOfVersion}. */
  readonly isFixed: boolean;
  readonly response: ServerResponse;
}

/** Shows the thumbnail or the preview of a photo to a member; see {@link showPicture}. */
export function picture(
  deps: PictureDeps & { readonly content: ContentAddresses | undefined },
  variant: Variant,
): PageHandler {
  return async (context) => {
    const { response, id, account, memberships, query } = context;
    const found = await deps.thumbnails.find(id, deps.now());
    if (found === undefined || !canView(found.photo, account.id, memberships)) {
      sendStatus(response, 404);
      return;
    }
    const isFixed = isOfVersion(found.photo, id, query);
    if (deps.content !== undefined) {
      const recipient = { kind: 'user', id: account.id } as const;
      const version = isFixed ? String(found.photo.preview?.version) : undefined;
      redirectToContent(deps.content, { photoId: id, variant, recipient, version }, response);
      return;
    }
    await showPicture(deps, found, { variant, isFixed, response });
  };
}

/**
 * Whether an address always leads to the same pictures: it names the version of the photo, not another one of which this
 * is the current version, and with `v` the version of its pictures.
 */
export function isOfVersion(
  { id, preview }: Photo,
  askedId: string,
  query: URLSearchParams,
): boolean {
  return preview !== undefined && id === askedId && query.get('v') === String(preview.version);
}

/**
 * Answers with a picture that the service has made of a photo. The caller has checked that the reader may see it. Where
 * the preview is missing, the answer is the thumbnail. Where that is missing as well, it is a plain tile.
 */
export async function showPicture(
  deps: Pick<PictureDeps, 'store' | 'thumbnailWorker'>,
  shown: ShownPhoto,
  wanted: Wanted,
): Promise<void> {
  const { photo, thumbnail } = shown;
  const { response, variant } = wanted;
  const cacheControl = wanted.isFixed ? CACHE_FOREVER : cacheFor(CACHE_SECONDS);
  if (thumbnail.state === 'made' && variant === 'preview') {
    const direct = wanted.isFixed ? await directPreviewOf(deps, photo) : undefined;
    if (direct !== undefined) {
      redirectToStorage(response, direct, cacheFor(CACHE_REDIRECT_SECONDS));
      return;
    }
    const preview = await previewOf(deps, photo);
    if (preview === undefined) {
      const picture = await thumbnailOf(deps, shown);
      sendThumbnailOrTile(response, photo, picture, cacheFor(CACHE_PENDING_SECONDS));
    } else {
      setPictureHeaders(response, PICTURE_TYPE, preview.size, cacheControl);
      await pipeline(preview.bytes, response);
    }
    return;
  }
  const picture = await thumbnailOf(deps, shown);
  if (thumbnail.state === 'made') {
    const untilMade = picture === undefined ? cacheFor(CACHE_PENDING_SECONDS) : cacheControl;
    sendThumbnailOrTile(response, photo, picture, untilMade);
    return;
  }
  const isPending = thumbnail.state === 'pending' && deps.thumbnailWorker.areMade;
  if (isPending) {
    deps.thumbnailWorker.enqueue(photo);
  }
  const shortly = cacheFor(isPending ? CACHE_PENDING_SECONDS : CACHE_SECONDS);
  sendThumbnailOrTile(response, photo, picture, shortly);
}

/**
 * Answers like {@link showPicture}, with a text over the picture. Where that picture cannot be made, the answer is a plain
 * tile: never a picture without the text.
 */
export async function showWatermarked(
  deps: Pick<GuestPictureDeps, 'thumbnailWorker' | 'watermarks'>,
  { photo, thumbnail }: ShownPhoto,
  text: string,
  { response, variant, isFixed }: Wanted,
): Promise<void> {
  const { watermarks, thumbnailWorker } = deps;
  const cacheControl = isFixed ? CACHE_FOREVER : cacheFor(CACHE_SECONDS);
  if (thumbnail.state === 'pending' && thumbnailWorker.areMade) {
    thumbnailWorker.enqueue(photo);
  }
  const shortly = cacheFor(CACHE_PENDING_SECONDS);
  if (variant === 'thumbnail') {
    const marked = await inTime(watermarks.thumbnail(photo, text));
    sendThumbnailOrTile(response, photo, marked, marked === undefined ? shortly : cacheControl);
    return;
  }
  const made = await inTime(watermarks.of(photo, text));
  const preview = made && (await watermarks.preview(photo, text).catch(() => undefined));
  if (preview !== undefined) {
    setPictureHeaders(response, PICTURE_TYPE, preview.size, cacheControl);
    await pipeline(preview.bytes, response);
    return;
  }
  const marked = made && (await inTime(watermarks.thumbnail(photo, text)));
  sendThumbnailOrTile(response, photo, marked, shortly);
}

/** Sends a picture that is made now, if it was not made before. Where that fails or takes too long, the answer is a plain tile. */
export async function sendMadePicture(
  response: ServerResponse,
  isFixed: boolean,
  make: () => Promise<{ readonly bytes: Readable; readonly size: number } | undefined>,
): Promise<void> {
  const making = make();
  const made = await inTime(making);
  if (made === undefined) {
    // It is late: nobody reads it.
    void making.then((late) => late?.bytes.destroy()).catch(() => undefined);
    sendPicture(response, 'image/svg+xml', TILE, cacheFor(CACHE_PENDING_SECONDS));
    return;
  }
  setPictureHeaders(
    response,
    PICTURE_TYPE,
    made.size,
    isFixed ? CACHE_FOREVER : cacheFor(CACHE_SECONDS),
  );
  await pipeline(made.bytes, response);
}

/** Undefined when it fails, or takes longer than {@link WATERMARK_MS}. */
export async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(WATERMARK_MS, undefined, { signal: over.signal });
  const either = Promise.race([work, late]).catch(() => undefined);
  return either.finally(() => over.abort());
}

/** The address of the preview in the storage. Where there is none, {@link previewOf} finds out why. */
async function directPreviewOf(
  { store }: Pick<PictureDeps, 'store'>,
  { id, preview }: Photo,
): Promise<string | undefined> {
  return (
    preview && store.directUrl(id, { kind: 'preview', size: preview.size }).catch(() => undefined)
  );
}

/** The stored preview; undefined while the storage is away. A lost one is made again. */
export async function previewOf(
  { store, thumbnailWorker }: Pick<PictureDeps, 'store' | 'thumbnailWorker'>,
  photo: Photo,
): Promise<{ readonly bytes: Readable; readonly size: number } | undefined> {
  const size = photo.preview?.size ?? 0;
  const bytes =
    size === 0 ? undefined : await store.readPreview(photo.id, size).catch(() => 'away' as const);
  if (bytes === 'away') {
    return undefined;
  }
  if (bytes === undefined) {
    await thumbnailWorker.remake(photo);
    return undefined;
  }
  return { bytes, size };
}

/** The thumbnail; undefined when there is none, or while the storage is away. A lost one is made again. */
export async function thumbnailOf(
  { store, thumbnailWorker }: Pick<PictureDeps, 'store' | 'thumbnailWorker'>,
  { photo, thumbnail: { state, picture } }: ShownPhoto,
): Promise<Buffer | undefined> {
  const bytes =
    picture && (await readThumbnail(store, photo.id, picture).catch(() => 'away' as const));
  if (bytes === 'away') {
    return undefined;
  }
  if (bytes === undefined && state === 'made') {
    await thumbnailWorker.remake(photo);
  }
  return bytes;
}

function sendThumbnailOrTile(
  response: ServerResponse,
  { media }: Pick<Photo, 'media'>,
  thumbnail: Buffer | undefined,
  cacheControl: string,
): void {
  if (thumbnail === undefined) {
    const tile = media?.kind === 'video' ? FILM_TILE : TILE;
    sendPicture(response, 'image/svg+xml', tile, cacheControl);
  } else {
    sendPicture(response, PICTURE_TYPE, thumbnail, cacheControl);
  }
}

function cacheFor(seconds: number): string {
  return `private, max-age=${seconds}`;
}

function sendPicture(
  response: ServerResponse,
  type: string,
  bytes: Uint8Array,
  cacheControl: string,
): void {
  setPictureHeaders(response, type, bytes.length, cacheControl);
  response.end(bytes);
}

function setPictureHeaders(
  response: ServerResponse,
  type: string,
  size: number,
  cacheControl: string,
): void {
  setFileHeaders(response);
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', size);
}
