import { sendPage, sendRedirect } from '../http/responses.js';
import { getAndPost, type Route } from '../http/router.js';
import type { SessionGuard } from '../visits/session-guard.js';
import { bulkAction } from './change-chosen.js';
import { download } from './download.js';
import { photoPage, type PhotoPageDeps } from './one-photo.js';
import { PHOTOS } from './paths.js';
import { photoList, type PhotoListParts } from './photo-list.js';
import { thumbnail, type ThumbnailParts } from './thumbnail.js';
import { trash } from './trash.js';
import { visibilitySetting, type VisibilityDeps } from './viewing.js';
import { landingPage } from './welcome.js';
import { zipOfChosen, zipOfList, type ZipParts } from './zip.js';

export type PhotoRoutesDeps = { readonly guard: SessionGuard } & PhotoListParts &
  PhotoPageDeps &
  VisibilityDeps &
  ZipParts &
  ThumbnailParts;

/**
 * The pages about what has arrived: the list, each photo and its original, the trash, and the root of the service,
 * which leads there. A POST that changed something is answered with a redirect.
 */
export function photoRoutes(deps: PhotoRoutesDeps): Route[] {
  const { guard } = deps;
  return [
    guard.openPage('/', {
      GET: (context, { account }) => {
        if (account === undefined) {
          sendPage(context, 200, landingPage());
        } else {
          sendRedirect(context.response, PHOTOS.root);
        }
        return Promise.resolve();
      },
    }),
    guard.page(PHOTOS.root, { GET: photoList(deps), POST: bulkAction(deps) }),
    guard.page(PHOTOS.trash, { GET: trash(deps.photos) }),
    guard.file(PHOTOS.zip, { GET: zipOfList(deps), POST: zipOfChosen(deps) }),
    guard.page(PHOTOS.viewing, { POST: visibilitySetting(deps) }),
    guard.page(PHOTOS.photo(':id'), getAndPost(photoPage(deps))),
    guard.page(PHOTOS.thumbnail(':id'), { GET: thumbnail(deps) }),
    guard.file(PHOTOS.file(':id'), { GET: download(deps) }),
  ];
}
