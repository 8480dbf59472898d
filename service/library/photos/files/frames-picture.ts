import type { ServerResponse } from 'node:http';
import { sendStatus } from '../../../kernel/http/responses.js';
import { canView, type PageHandler } from '../../../identity/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import type { Photo } from '../data/photo.js';
import { isOfVersion, sendMadePicture, type PictureDeps } from './picture.js';

/** Shows the frames of a film to a member; 404 for files without any. */
export function framesPicture(deps: PictureDeps): PageHandler {
  return async ({ response, id, account, memberships, query }) => {
    const found = await deps.thumbnails.find(id, deps.now());
    if (found === undefined || !canView(found.photo, account.id, memberships)) {
      sendStatus(response, 404);
      return;
    }
    await showFrames(deps, found.photo, isOfVersion(found.photo, id, query), response);
  };
}

/** Answers with the frames of a film. The caller has checked that the reader may see it. */
export async function showFrames(
  { store }: { readonly store: Pick<UploadStorage, 'readPreview'> },
  { id, framesBytes: size }: Pick<Photo, 'id' | 'framesBytes'>,
  isFixed: boolean,
  response: ServerResponse,
): Promise<void> {
  if (size === undefined) {
    sendStatus(response, 404);
    return;
  }
  await sendMadePicture(response, isFixed, async () => {
    const bytes = await store.readPreview(id, size, 'frames');
    return bytes && { bytes, size };
  });
}
