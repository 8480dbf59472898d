import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendStatus } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import type { ImageWorker, PageRenderer } from '../../previews/index.js';

import { writeReprDigest } from '../../uploads/index.js';
import type { ShownPhoto } from '../data/photo-thumbnails.js';
import { inTime, previewOf, type PictureDeps } from '../files/picture.js';
import { setFileHeaders } from '../files/send-file.js';
import { sendUnchanged } from './unchanged.js';
import { wantedPicture, type WantedPictureDeps } from './wanted-picture.js';

export interface WebPictureDeps extends PictureDeps, WantedPictureDeps {
  readonly pages: Pick<PageRenderer, 'find'>;
  readonly imageWorker: Pick<ImageWorker, 'webPicture'>;
}

/**
 * Answers `GET /api/v1/uploads/{id}/preview` with a JPEG of the upload, or of a page of it, of 2048 pixels at most, with its
 * digest; 204 while there is none. `If-None-Match` is answered before the JPEG is made.
 */
export async function sendWebPicture(
  deps: WebPictureDeps,
  context: BufferedContext,
  caller: Principal,
): Promise<void> {
  const { response } = context;
  const wanted = await wantedPicture(deps, context, caller, 'content');
  if (wanted === undefined) {
    return;
  }
  const { found: shown, page } = wanted;
  if (page === undefined || shown.photo.preview === undefined) {
    sendStatus(response, 204);
    return;
  }
  setFileHeaders(response);
  if (sendUnchanged(context, shown.photo, page)) {
    return;
  }
  const jpeg = await inTime(webPictureOf(deps, shown, page));
  if (jpeg === undefined) {
    response.removeHeader('ETag');
    sendStatus(response, 204);
    return;
  }
  const sha256 = createHash('sha256').update(jpeg).digest('hex');
  response.setHeader('Repr-Digest', writeReprDigest({ sha256 }));
  response.setHeader('Content-Type', 'image/jpeg');
  response.setHeader('Content-Length', jpeg.length);
  response.end(jpeg);
}

/** Undefined where there is no preview, or while it cannot be made. */
async function webPictureOf(
  deps: WebPictureDeps,
  { photo }: ShownPhoto,
  page: number,
): Promise<Buffer | undefined> {
  const preview =
    page === 1
      ? await previewOf(deps, photo)
      : await deps.pages.find(photo, { page, variant: 'preview', watermark: undefined });
  return preview && deps.imageWorker.webPicture(photo.workspaceId, await buffer(preview.bytes));
}
