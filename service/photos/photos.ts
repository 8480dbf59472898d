import type { ServerResponse } from 'node:http';
import type { RouteMatch } from '../http/route-table.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { VisitHandler } from '../visits/visit.js';
import type { Visits } from '../visits/visits.js';
import { download } from './download.js';
import { onePhoto, type OnePhotoParts } from './one-photo.js';
import { PHOTOS } from './paths.js';
import { photoList, type PhotoListParts } from './photo-list.js';
import { thumbnail, type ThumbnailParts } from './thumbnail.js';
import { trash } from './trash.js';
import { viewing, type ViewingParts } from './viewing.js';
import { welcomePage } from './welcome.js';
import { zip, type ZipParts } from './zip.js';

export type PhotoPagesParts = { readonly visits: Visits } & PhotoListParts &
  OnePhotoParts &
  ViewingParts &
  ZipParts &
  ThumbnailParts;

/**
 * The pages about what has arrived: the list, each photo and its original, the trash, and the root of the service,
 * which leads there. The pages have no scripts. Every POST carries an anti-forgery token; one that changed something is
 * answered with a redirect.
 */
export class PhotoPages {
  private readonly visits: Visits;
  private readonly pages: ReadonlyMap<string, VisitHandler>;

  constructor(parts: PhotoPagesParts) {
    this.visits = parts.visits;
    this.pages = new Map<string, VisitHandler>([
      [PHOTOS.root, photoList(parts)],
      [PHOTOS.trash, trash(parts.photos)],
      [PHOTOS.zip, zip(parts)],
      [PHOTOS.viewing, viewing(parts)],
      [PHOTOS.photo(':id'), onePhoto(parts)],
      [PHOTOS.file(':id'), download(parts)],
      [PHOTOS.thumbnail(':id'), thumbnail(parts)],
    ]);
  }

  /** Answers a GET or POST of one of these pages. */
  async handle(request: WholeRequest, response: ServerResponse, match: RouteMatch): Promise<void> {
    const visitor = await this.visits.meet(request, response);
    const page = this.pages.get(match.route.path);
    if (page === undefined) {
      if (visitor.account === undefined) {
        sendPage(response, 200, welcomePage());
      } else {
        sendRedirect(response, PHOTOS.root);
      }
      return;
    }
    const visit = this.visits.admit(visitor, request, response, match);
    if (visit !== undefined) {
      await page(visit);
    }
  }
}
