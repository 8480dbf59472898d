import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { getAndPost, type Route } from '../../kernel/http/router.js';
import type { SessionGuard } from '../../identity/index.js';
import { bulkAction, type BulkActionDeps } from './pages/bulk-actions.js';
import { SELECTION_BODY_BYTES } from './pages/selection.js';
import { answerActions, type AnswerActionDeps } from './pages/answer-actions.js';
import { download } from './files/download.js';
import { comparePage } from './pages/compare-page.js';
import { photoPage, type PhotoPageDeps } from './pages/photo-page.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { photoList, type PhotoListDeps } from './pages/photo-list.js';
import { PROJECTS } from '../../site/addresses/project-paths.js';
import { projectPage } from './pages/project-page.js';
import { pagePicture, type PageDeps } from './files/page-picture.js';
import { framesPicture } from './files/frames-picture.js';
import { picture } from './files/picture.js';
import { markers } from './files/markers.js';
import { play } from './files/play.js';
import { trash } from './pages/trash.js';
import { landingPage } from './pages/landing-page.js';
import { zipOfSelection, zipOfList, type ZipDeps } from './files/zip.js';

export type PhotoRoutesDeps = { readonly guard: SessionGuard } & PhotoListDeps &
  PhotoPageDeps &
  BulkActionDeps &
  ZipDeps &
  AnswerActionDeps &
  PageDeps;

/**
 * The pages about photos: the list, each photo and its original, the photos of a project, the trash, and the root of the service,
 * which leads there. A POST that changed something is answered with a redirect.
 */
export function photoRoutes(deps: PhotoRoutesDeps): Route[] {
  const { guard } = deps;
  const selecting = { maxBodyBytes: SELECTION_BODY_BYTES };
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
    guard.page(
      PHOTOS.root,
      { GET: photoList(deps), POST: bulkAction(deps, PHOTOS.root) },
      selecting,
    ),
    guard.page(PHOTOS.trash, { GET: trash(deps), POST: bulkAction(deps, PHOTOS.trash) }, selecting),
    guard.file(PHOTOS.zip, { GET: zipOfList(deps), POST: zipOfSelection(deps) }, selecting),
    guard.page(PHOTOS.photo(':id'), getAndPost(photoPage(deps))),
    guard.page(PHOTOS.compare(':id'), { GET: comparePage(deps) }),
    guard.page(PHOTOS.thumbnail(':id'), { GET: picture(deps, 'thumbnail') }),
    guard.file(PHOTOS.preview(':id'), { GET: picture(deps, 'preview') }),
    guard.file(PHOTOS.page(':id'), { GET: pagePicture(deps) }),
    guard.file(PHOTOS.frames(':id'), { GET: framesPicture(deps) }),
    guard.page(PHOTOS.answers(':id'), { POST: answerActions(deps) }, selecting),
    guard.page(PHOTOS.markers(':id'), { GET: markers(deps) }),
    guard.file(PHOTOS.file(':id'), { GET: download(deps) }),
    guard.file(PHOTOS.play(':id'), { GET: play(deps) }),
    guard.page(PROJECTS.project(':id'), getAndPost(projectPage(deps))),
  ];
}
