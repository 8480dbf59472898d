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
import { PublicShareHandler, type Guest, type PublicShareDeps } from './public-share-handler.js';

/** Room for the longest comment in a form, where a character takes up to 12 bytes. */
const MAX_ANSWER_BYTES = 32 * 1024;

export type ShareRoutesDeps = { readonly guard: SessionGuard } & NewShareDeps &
  PublicShareDeps &
  ShareAnswersDeps;

/** The pages on which users create and revoke links, and the pages and files that links lead to. */
export function shareRoutes(deps: ShareRoutesDeps): Route[] {
  const { guard } = deps;
  const shared = new PublicShareHandler(deps);
  const { works, isUnlocked, offersDownloads } = shared.permissions;
  const page = (_: unknown, guest: Guest): Promise<void> => shared.page(guest);
  const guestName = (_: unknown, guest: Guest): Promise<void> => shared.guestName(guest);
  const finish = (_: unknown, guest: Guest): Promise<void> => shared.finish(guest);
  const replies = (_: unknown, guest: Guest): Promise<void> => shared.replies(guest);
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
      permit(isUnlocked, { GET: (_, guest) => shared.picture(guest, 'thumbnail') }),
    ),
    {
      ...link(
        SHARES.preview(':id'),
        permit(isUnlocked, { GET: (_, guest) => shared.picture(guest, 'preview') }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.page(':id'),
        permit(isUnlocked, { GET: (_, guest) => shared.pagePicture(guest) }),
      ),
      sendsFile: true,
    },
    {
      ...link(
        SHARES.frames(':id'),
        permit(isUnlocked, { GET: (_, guest) => shared.frames(guest) }),
      ),
      sendsFile: true,
    },
    link(SHARES.photo(':id'), permit(isUnlocked, { GET: (_, guest) => shared.photo(guest) })),
    {
      ...link(
        SHARES.answers(':id'),
        permit(isUnlocked, { POST: (_, guest) => shared.answer(guest) }),
      ),
      maxBodyBytes: MAX_ANSWER_BYTES,
    },
    link(SHARES.guestName(':id'), permit(isUnlocked, getAndPost(guestName))),
    link(SHARES.finish(':id'), permit(isUnlocked, getAndPost(finish))),
    link(SHARES.replies(':id'), permit(isUnlocked, getAndPost(replies))),
    {
      ...link(
        SHARES.file(':id'),
        permit(offersDownloads, { GET: (_, guest) => shared.file(guest) }),
      ),
      sendsFile: true,
    },
    {
      ...link(SHARES.play(':id'), permit(isUnlocked, { GET: (_, guest) => shared.play(guest) })),
      sendsFile: true,
    },
    {
      ...link(SHARES.zip(':id'), permit(offersDownloads, { GET: (_, guest) => shared.zip(guest) })),
      sendsFile: true,
    },
  ];
}
