import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sendNothing } from '../http/responses.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import type { VisitHandler } from '../visits/visit.js';
import { maySee, type Photo } from './photo.js';
import type { PhotoTable } from './photo-table.js';
import { PREVIEW_HEAD_BYTES, previewIn } from './preview.js';
import { setFileHeaders } from './send-file.js';

/** In place of a preview. It stands on light pages and on dark ones. */
const TILE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 56 56"><rect width="56" height="56" fill="#8a93a6" fill-opacity=".18"/><path d="M12 40l12-14 8 9 5-5 9 10zM38 18h.01" fill="none" stroke="#8a93a6" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

/** How long a browser may keep a preview, in seconds: what a photo shows does not change. */
const KEEP_SECONDS = 3600;

export interface ThumbnailParts {
  readonly photos: PhotoTable;
  readonly store: Pick<UploadStorage, 'readRange'>;
}

/** Shows the preview that a photo carries, or a plain tile. */
export function thumbnail(parts: ThumbnailParts): VisitHandler {
  return async ({ response, id, account, memberships }) => {
    const photo = await parts.photos.find(id);
    if (photo === undefined || !maySee(photo, account.id, memberships)) {
      sendNothing(response, 404);
      return;
    }
    await showThumbnail(parts, photo, response);
  };
}

/** Answers with the preview of a photo, or a plain tile; whoever asks may see it. */
export async function showThumbnail(
  { store }: Omit<ThumbnailParts, 'photos'>,
  photo: Photo,
  response: ServerResponse,
): Promise<void> {
  // The list is worth having while the storage is away.
  const preview = await previewOf(store, photo).catch(() => undefined);
  if (preview === undefined) {
    sendPicture(response, 'image/svg+xml', TILE);
  } else {
    sendPicture(response, 'image/jpeg', preview);
  }
}

async function previewOf(
  store: Pick<UploadStorage, 'readRange'>,
  { id, size }: Photo,
): Promise<Uint8Array | undefined> {
  if (size === 0) {
    return undefined;
  }
  const end = Math.min(size, PREVIEW_HEAD_BYTES) - 1;
  return previewIn(await buffer(await store.readRange(id, { start: 0, end })));
}

function sendPicture(response: ServerResponse, type: string, bytes: Uint8Array): void {
  setFileHeaders(response);
  response.setHeader('Cache-Control', `private, max-age=${KEEP_SECONDS}`);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
