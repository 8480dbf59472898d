import { tokenPermission, type BearerCheck } from '../../../oauth/index.js';
import { permit } from '../../../kernel/http/permission.js';
import type { Route } from '../../../kernel/http/router.js';
import { PHOTOS_API_PATH, PHOTO_STATUS_PATH } from '../../../site/addresses/photo-paths.js';
import {
  uploadChangePath,
  uploadContentPath,
  uploadMarkersPath,
  uploadPreviewPath,
  uploadThumbnailPath,
} from '../../../site/addresses/upload-paths.js';
import type { ListQueue } from '../../../kernel/rate-limit/list-queue.js';
import type { PhotoApi } from './api.js';
import { ChangeApi, PROJECT, type ChangeApiDeps } from './change-api.js';
import { listPhotos } from './list-photos.js';
import { MAX_STATUS_BYTES, sendPhotoStatus, STATUS, type PhotoStatusDeps } from './photo-status.js';
import { sendSmallPicture, type SmallPictureDeps } from './small-picture.js';
import { sendWebPicture, type WebPictureDeps } from './web-picture.js';

/** The API for finished uploads. The description of one is with the uploads, at the same path. */
export function photoApiRoutes(
  deps: ChangeApiDeps &
    PhotoStatusDeps &
    SmallPictureDeps &
    WebPictureDeps & {
      readonly bearer: BearerCheck;
      readonly photoApi: PhotoApi;
      readonly lists: ListQueue;
    },
): Route[] {
  const changes = new ChangeApi(deps);
  const reading = tokenPermission(deps.bearer, ['uploads:content', 'workspace:read']);
  const listing = tokenPermission(deps.bearer, ['uploads:write', 'uploads:read', 'workspace:read']);
  const deleting = tokenPermission(deps.bearer, ['uploads:delete']);
  const sending = tokenPermission(deps.bearer, ['uploads:write']);
  const moving = tokenPermission(deps.bearer, ['projects:write']);
  const browsing = tokenPermission(deps.bearer, ['uploads:read', 'workspace:read']);
  return [
    {
      path: PHOTOS_API_PATH,
      kind: 'api',
      handlers: permit(browsing, {
        GET: (context, caller) =>
          deps.lists.run(caller.accountId, () => listPhotos(deps, context, caller)),
      }),
    },
    {
      path: PHOTO_STATUS_PATH,
      kind: 'api',
      maxBodyBytes: MAX_STATUS_BYTES,
      bodies: { POST: STATUS },
      handlers: permit(listing, {
        POST: (context, caller) => sendPhotoStatus(deps, context, caller),
      }),
    },
    {
      path: uploadPreviewPath(':id'),
      kind: 'api',
      sendsFile: true,
      handlers: permit(reading, {
        GET: (context, caller) => sendWebPicture(deps, context, caller),
      }),
    },
    {
      path: uploadContentPath(':id'),
      kind: 'api',
      sendsFile: true,
      handlers: permit(reading, {
        GET: (context, caller) => deps.photoApi.content(context, caller),
      }),
    },
    {
      path: uploadMarkersPath(':id'),
      kind: 'api',
      handlers: permit(listing, {
        GET: (context, caller) => deps.photoApi.markers(context, caller),
      }),
    },
    {
      path: uploadThumbnailPath(':id'),
      kind: 'api',
      handlers: permit(listing, {
        GET: (context, caller) => sendSmallPicture(deps, context, caller),
      }),
    },
    {
      path: uploadChangePath(':id', 'trash'),
      kind: 'api',
      handlers: permit(deleting, { POST: (context, caller) => changes.trash(context, caller) }),
    },
    {
      path: uploadChangePath(':id', 'restore'),
      kind: 'api',
      handlers: permit(deleting, { POST: (context, caller) => changes.restore(context, caller) }),
    },
    {
      path: uploadChangePath(':id', 'detach'),
      kind: 'api',
      handlers: permit(sending, { POST: (context, caller) => changes.detach(context, caller) }),
    },
    {
      path: uploadChangePath(':id', 'project'),
      kind: 'api',
      bodies: { POST: PROJECT },
      handlers: permit(moving, { POST: (context, caller) => changes.move(context, caller) }),
    },
  ];
}
