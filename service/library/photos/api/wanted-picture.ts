import { invalid, sendApiError } from '../../../kernel/http/api-error.js';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import type { Principal } from '../../../oauth/index.js';
import { notFound } from '../../uploads/index.js';
import type { ShownPhoto } from '../data/photo-thumbnails.js';
import { drawnPageIn } from '../files/page-picture.js';
import type { PictureDeps } from '../files/picture.js';
import type { UploadApiRepository } from './upload-api-repository.js';

export interface WantedPictureDeps extends Pick<PictureDeps, 'thumbnails' | 'now'> {
  readonly shown: Pick<UploadApiRepository, 'one'>;
}

/**
 * The photo of a request for its picture, and the wanted page: undefined for one that is not drawn.
 * @returns undefined once the request is refused
 */
export async function wantedPicture(
  { shown, thumbnails, now }: WantedPictureDeps,
  { response, id, query }: BufferedContext,
  caller: Principal,
  purpose: Parameters<UploadApiRepository['one']>[2],
): Promise<{ readonly found: ShownPhoto; readonly page: number | undefined } | undefined> {
  if (!/^[1-9]\d{0,5}$/.test(query.get('page') ?? '1')) {
    sendApiError(response, invalid('page must be a whole number from 1'));
    return undefined;
  }
  const upload = await shown.one(caller, id, purpose);
  const found = upload && (await thumbnails.find(id, now()));
  if (found === undefined) {
    sendApiError(response, notFound());
    return undefined;
  }
  return { found, page: query.has('page') ? drawnPageIn(query, found.photo, 'page') : 1 };
}
