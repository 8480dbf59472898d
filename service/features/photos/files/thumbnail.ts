import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ContentAddresses } from '../../../auth/content-urls.js';
import { redirectToContent } from '../../../auth/redirect-to-content.js';
import { sendStatus } from '../../../platform/http/responses.js';
import {
  ByteReader,
  PICTURE_TYPE,
  PREVIEW_LIMITS,
  smallPreviewIn,
  type Thumbnail,
  type Thumbnails,
} from '../../previews/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import type { PageHandler } from '../../../auth/session/authenticated-request.js';
import type { Photo } from '../data/photo.js';
import { canView } from '../../../auth/accounts/photo-policy.js';
import type { PhotoThumbnails } from '../data/photo-thumbnails.js';
import { setFileHeaders } from './send-file.js';

/** Shown when there is no preview. Its colours suit light and dark pages. */
const TILE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56"><rect width="56" height="56" fill="#8a93a6" fill-opacity=".18"/><path d="M12 40l12-14 8 9 5-5 9 10zM38 18h.01" fill="none" stroke="#8a93a6" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** How long a browser may keep a picture, in seconds: a photo does not change. */
const KEEP_SECONDS = 3600;

/** How long a browser may keep a picture while the thumbnail is being made, in seconds. */
const KEEP_PENDING_SECONDS = 5;

export interface ThumbnailDeps {
  readonly store: Pick<UploadStorage, 'readRange'>;
  readonly now: () => Date;
  readonly thumbnails: Pick<PhotoThumbnails, 'find' | 'findCurrent'>;
  readonly thumbnailWorker: Pick<Thumbnails, 'enqueue' | 'areMade'>;
}

/** Shows the thumbnail of a photo to a member; see {@link showThumbnail}. */
export function thumbnail(
  deps: ThumbnailDeps & { readonly content: ContentAddresses | undefined },
): PageHandler {
  return async (context) => {
    const { response, id, account, memberships } = context;
    const found = await deps.thumbnails.find(id, deps.now());
    if (found === undefined || !canView(found.photo, account.id, memberships)) {
      sendStatus(response, 404);
      return;
    }
    if (deps.content !== undefined) {
      const recipient = { kind: 'user', id: account.id } as const;
      const grant = { photoId: id, variant: 'thumbnail', recipient } as const;
      redirectToContent(deps.content, grant, response);
      return;
    }
    await showThumbnail(deps, found, response);
  };
}

/**
 * Answers with the thumbnail that the service has made of a photo. The caller has checked that the reader may see it.
 * Until it is made, or if there is none, the answer is the preview that the file carries, or a plain tile.
 */
export async function showThumbnail(
  { store, thumbnailWorker }: Pick<ThumbnailDeps, 'store' | 'thumbnailWorker'>,
  { photo, thumbnail: found }: { readonly photo: Photo; readonly thumbnail: Thumbnail },
  response: ServerResponse,
): Promise<void> {
  if (found.state === 'made') {
    sendPicture(response, PICTURE_TYPE, found.picture, KEEP_SECONDS);
    return;
  }
  const isPending = found.state === 'pending' && thumbnailWorker.areMade;
  if (isPending) {
    thumbnailWorker.enqueue(photo);
  }
  const keepSeconds = isPending ? KEEP_PENDING_SECONDS : KEEP_SECONDS;
  // The list is useful even while the storage is away.
  const preview = await previewOf(store, photo).catch(() => undefined);
  if (preview === undefined) {
    sendPicture(response, 'image/svg+xml', TILE, keepSeconds);
  } else {
    sendPicture(response, 'image/jpeg', preview, keepSeconds);
  }
}

async function previewOf(
  store: Pick<UploadStorage, 'readRange'>,
  { id, size }: Photo,
): Promise<Uint8Array | undefined> {
  const read = async (at: number, length: number): Promise<Buffer> =>
    buffer(await store.readRange(id, { start: at, end: at + length - 1 }));
  return smallPreviewIn(ByteReader.over({ size, read }, PREVIEW_LIMITS));
}

function sendPicture(
  response: ServerResponse,
  type: string,
  bytes: Uint8Array,
  keepSeconds: number,
): void {
  setFileHeaders(response);
  response.setHeader('Cache-Control', `private, max-age=${keepSeconds}`);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
