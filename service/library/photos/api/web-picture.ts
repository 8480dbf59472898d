import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { invalid, sendApiError } from '../../../kernel/http/api-error.js';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendStatus } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import type { ImageWorker, PageRenderer } from '../../previews/index.js';

import { notFound, writeReprDigest } from '../../uploads/index.js';
import type { ShownPhoto } from '../data/photo-thumbnails.js';
import { drawnPageIn } from '../files/page-picture.js';
import { inTime, previewOf, type PictureDeps } from '../files/picture.js';
import { setFileHeaders } from '../files/send-file.js';
import { sendUnchanged } from './unchanged.js';
import type { UploadApiRepository } from './upload-api-repository.js';

export interface WebPictureDeps extends PictureDeps {
  readonly shown: Pick<UploadApiRepository, 'one'>;
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
  const { response, id, query } = context;
  if (!/^[1-9]\d{0,5}$/.test(query.get('page') ?? '1')) {
    sendApiError(response, invalid('page must be a whole number from 1'));
    return;
  }
  const upload = await deps.shown.one(caller, id, 'content');
  const shown = upload && (await deps.thumbnails.find(id, deps.now()));
  if (shown === undefined) {
    sendApiError(response, notFound());
    return;
  }
  const page = query.has('page') ? drawnPageIn(query, shown.photo, 'page') : 1;
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
