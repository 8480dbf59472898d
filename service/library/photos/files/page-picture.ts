import { sendStatus } from '../../../kernel/http/responses.js';
import { canView, type PageHandler } from '../../../identity/index.js';
import { shownPages, type PageRenderer } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import type { ShownPhoto } from '../data/photo-thumbnails.js';
import {
  isOfVersion,
  sendMadePicture,
  showPicture,
  type PictureDeps,
  type Wanted,
} from './picture.js';

export interface PageDeps extends PictureDeps {
  readonly pages: Pick<PageRenderer, 'find'>;
}

/** Shows a page of a document to a member; 404 for a page without a picture. */
export function pagePicture(deps: PageDeps): PageHandler {
  return async ({ response, id, account, memberships, query }) => {
    const found = await deps.thumbnails.find(id, deps.now());
    const page = found && drawnPageIn(query, found.photo);
    if (
      page === undefined ||
      found === undefined ||
      !canView(found.photo, account.id, memberships)
    ) {
      sendStatus(response, 404);
      return;
    }
    const isFixed = isOfVersion(found.photo, id, query);
    const wanted = { variant: variantIn(query), isFixed, response };
    if (page === 1) {
      await showPicture(deps, found, wanted);
    } else {
      await showPage(deps, found, { page, watermark: undefined }, wanted);
    }
  };
}

/**
 * Answers with a page behind the first one. The caller has checked that the reader may see it. Where it cannot be made, the answer is
 * a plain tile.
 */
export async function showPage(
  { pages }: Pick<PageDeps, 'pages'>,
  { photo }: ShownPhoto,
  { page, watermark }: { readonly page: number; readonly watermark: string | undefined },
  { variant, isFixed, response }: Wanted,
): Promise<void> {
  await sendMadePicture(response, isFixed, () => pages.find(photo, { page, variant, watermark }));
}

/** The page that `n` names, from 1; undefined for one without a picture. */
export function drawnPageIn(query: URLSearchParams, photo: Photo, name = 'n'): number | undefined {
  const text = query.get(name) ?? '';
  const page = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  return page >= 1 && page <= shownPages(photo) ? page : undefined;
}

export function variantIn(query: URLSearchParams): 'thumbnail' | 'preview' {
  return query.get('as') === 'thumbnail' ? 'thumbnail' : 'preview';
}
