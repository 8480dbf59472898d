import { permit } from '../../kernel/http/permission.js';
import { getAndPost, type BufferedRoute, type Route } from '../../kernel/http/router.js';
import type { SessionGuard } from '../../identity/index.js';
import { SELECTION_BODY_BYTES } from '../../library/index.js';
import { contactSheet, exportFeedback } from './feedback-export.js';
import { labelNames } from './label-names.js';
import { newShare, type NewShareDeps } from './new-share.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { changeShare, editShare } from './edit-share.js';
import { shareAnswers } from './share-answers-page.js';
import type { ShareAnswersDeps } from './shown-answers.js';
import { changeGuests } from './change-guests.js';
import { askToRevoke, restoreShare, revokeShare, shareList } from './share-list.js';
import { GuestDownloads, type GuestDownloadsDeps } from './guest-downloads.js';
import { GuestPictures, type GuestPicturesDeps } from './guest-pictures.js';
import { LinkOpenings, type LinkOpeningsDeps } from './link-openings.js';
import { linkPage, type LinkPageDeps } from './link-page.js';
import { LinkPermissions, type LinkPermissionDeps, type LinkRequest } from './link-permission.js';
import { PublicShareViews, type PublicShareViewsDeps } from './public-share-views.js';

/** Room for the longest comment in a form, where a character takes up to 12 bytes. */
const MAX_ANSWER_BYTES = 32 * 1024;

export type ShareRoutesDeps = { readonly guard: SessionGuard } & NewShareDeps &
  GuestDownloadsDeps &
  GuestPicturesDeps &
  LinkOpeningsDeps &
  LinkPageDeps &
  LinkPermissionDeps &
  PublicShareViewsDeps &
  ShareAnswersDeps;

/** The pages on which users create and revoke links, and the pages and files that links lead to. */
export function shareRoutes(deps: ShareRoutesDeps): Route[] {
  const { guard } = deps;
  const permissions = new LinkPermissions(deps);
  const { works, isUnlocked, offersDownloads } = permissions;
  const openings = new LinkOpenings(deps);
  const views = new PublicShareViews(deps, openings);
  const pictures = new GuestPictures(deps);
  const downloads = new GuestDownloads(deps, openings);
  const showLink = linkPage(deps, permissions, views);
  const page = (_: unknown, request: LinkRequest): Promise<void> => showLink(request);
  const guestName = (_: unknown, request: LinkRequest): Promise<void> => views.guestName(request);
  const finish = (_: unknown, request: LinkRequest): Promise<void> => views.finish(request);
  const replies = (_: unknown, request: LinkRequest): Promise<void> => views.replies(request);
  const link = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'public-link',
    handlers,
  });
  return [
    guard.page(SHARES.root, { GET: shareList(deps) }),
    guard.page(SHARES.labels, getAndPost(labelNames(deps))),
    guard.page(SHARES.new, getAndPost(newShare(deps)), { maxBodyBytes: SELECTION_BODY_BYTES }),
    guard.page(SHARES.answersOf(':id'), { GET: shareAnswers(deps), POST: changeGuests(deps) }),
    guard.page(SHARES.exportOf(':id', 'csv'), { GET: exportFeedback(deps, 'csv') }),
    guard.page(SHARES.exportOf(':id', 'txt'), { GET: exportFeedback(deps, 'txt') }),
    guard.page(SHARES.contactSheet(':id'), { GET: contactSheet(deps) }),
    guard.page(SHARES.share(':id'), { GET: editShare(deps), POST: changeShare(deps) }),
    guard.page(SHARES.restore(':id'), { POST: restoreShare(deps) }),
    guard.page(SHARES.revoke(':id'), { GET: askToRevoke(deps), POST: revokeShare(deps) }),
    link(SHARES.shared(':id'), permit(works, getAndPost(page))),
    link(
      SHARES.thumbnail(':id'),
      permit(isUnlocked, { GET: (_, request) => pictures.picture(request, 'thumbnail') }),
    ),
    {
      ...link(
        SHARES.preview(':id'),
        permit(isUnlocked, { GET: (_, request) => pictures.picture(request, 'preview') }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.page(':id'),
        permit(isUnlocked, { GET: (_, request) => pictures.pagePicture(request) }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.frames(':id'),
        permit(isUnlocked, { GET: (_, request) => pictures.frames(request) }),
      ),
      sendsFile: true,
    },
    link(SHARES.photo(':id'), permit(isUnlocked, { GET: (_, request) => views.photo(request) })),
    {
      ...link(
        SHARES.answers(':id'),
        permit(isUnlocked, { POST: (_, request) => views.answer(request) }),
      ),
      maxBodyBytes: MAX_ANSWER_BYTES,
    },
    link(SHARES.guestName(':id'), permit(isUnlocked, getAndPost(guestName))),
    link(SHARES.finish(':id'), permit(isUnlocked, getAndPost(finish))),
    link(SHARES.replies(':id'), permit(isUnlocked, getAndPost(replies))),
    {
      ...link(
        SHARES.file(':id'),
        permit(offersDownloads, { GET: (_, request) => downloads.file(request) }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.play(':id'),
        permit(isUnlocked, { GET: (_, request) => downloads.play(request) }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.zip(':id'),
        permit(offersDownloads, { GET: (_, request) => downloads.zip(request) }),
      ),
      sendsFile: true,
    },
  ];
}
