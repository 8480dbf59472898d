import { buffer } from 'node:stream/consumers';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import type { ImageWorker, PageRenderer } from '../../previews/index.js';
import type { ShownPhoto } from '../data/photo-thumbnails.js';
import { inTime, thumbnailOf, type PictureDeps } from '../files/picture.js';
import { sendUnchanged } from './unchanged.js';
import { wantedPicture, type WantedPictureDeps } from './wanted-picture.js';

export interface SmallPictureDeps extends PictureDeps, WantedPictureDeps {
  readonly pages: Pick<PageRenderer, 'find'>;
  readonly imageWorker: Pick<ImageWorker, 'mailPicture'>;
}

/**
 * Answers `GET /api/v1/uploads/{id}/thumbnail` with a small JPEG of the upload, or of a page of it: 204 while there is none.
 * Creative apps show no WebP.
 */
export async function sendSmallPicture(
  deps: SmallPictureDeps,
  context: BufferedContext,
  caller: Principal,
): Promise<void> {
  const { response } = context;
  const wanted = await wantedPicture(deps, context, caller, 'list');
  if (wanted === undefined) {
    return;
  }
  const { found, page } = wanted;
  if (page !== undefined && sendUnchanged(context, found.photo, page)) {
    return;
  }
  const thumbnail = await inTime(pictureOf(deps, found, page));
  const jpeg =
    thumbnail && (await deps.imageWorker.mailPicture(found.photo.workspaceId, thumbnail));
  if (jpeg === undefined) {
    response.removeHeader('ETag');
    sendStatus(response, 204);
  } else {
    sendJson(response, 200, { type: 'image/jpeg', data: jpeg.toString('base64') });
  }
}

/** The stored thumbnail of the upload or of one of its pages; undefined where there is none. */
async function pictureOf(
  deps: SmallPictureDeps,
  shown: ShownPhoto,
  page: number | undefined,
): Promise<Buffer | undefined> {
  if (page === undefined || page === 1) {
    return page && thumbnailOf(deps, shown);
  }
  const wanted = { page, variant: 'thumbnail', watermark: undefined } as const;
  const made = await deps.pages.find(shown.photo, wanted);
  return made && buffer(made.bytes);
}
