import type { BufferedContext } from '../../platform/http/request/request-context.js';
import {
  getAndPost,
  type BufferedHandler,
  type BufferedRoute,
  type Route,
} from '../../platform/http/router.js';
import type { SessionGuard } from '../../auth/session/session-guard.js';
import { SELECTION_BODY_BYTES } from '../photos/index.js';
import { newShare, type NewShareDeps } from './new-share.js';
import { SHARES } from '../../platform/paths/share-paths.js';
import { changeShare, editShare } from './edit-share.js';
import { shareAnswers } from './share-answers-page.js';
import { askToRevoke, restoreShare, revokeShare, shareList } from './share-list.js';
import { PublicShareHandler, type PublicShareDeps } from './public-share-handler.js';

/** Room for the longest comment in a form, where a character takes up to 12 bytes. */
const MAX_ANSWER_BYTES = 32 * 1024;

export type ShareRoutesDeps = { readonly guard: SessionGuard } & NewShareDeps & PublicShareDeps;

/** The pages on which users create and revoke links, and the pages and files that links lead to. */
export function shareRoutes(deps: ShareRoutesDeps): Route[] {
  const { guard } = deps;
  const shared = new PublicShareHandler(deps);
  const page: BufferedHandler = (context) => shared.page(context);
  const link = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'public-link',
    auth: 'none',
    handlers,
  });
  return [
    guard.page(SHARES.root, { GET: shareList(deps) }),
    guard.page(SHARES.new, getAndPost(newShare(deps)), { maxBodyBytes: SELECTION_BODY_BYTES }),
    guard.page(SHARES.answersOf(':id'), { GET: shareAnswers(deps) }),
    guard.page(SHARES.share(':id'), { GET: editShare(deps), POST: changeShare(deps) }),
    guard.page(SHARES.restore(':id'), { POST: restoreShare(deps) }),
    guard.page(SHARES.revoke(':id'), { GET: askToRevoke(deps), POST: revokeShare(deps) }),
    link(SHARES.shared(':id'), getAndPost(page)),
    link(SHARES.thumbnail(':id'), { GET: (context) => shared.picture(context, 'thumbnail') }),
    {
      ...link(SHARES.preview(':id'), { GET: (context) => shared.picture(context, 'preview') }),
      sendsFile: true,
    },
    link(SHARES.photo(':id'), { GET: (context) => shared.photo(context) }),
    {
      ...link(SHARES.answers(':id'), { POST: (context) => shared.answer(context) }),
      maxBodyBytes: MAX_ANSWER_BYTES,
    },
    link(
      SHARES.guestName(':id'),
      getAndPost((context: BufferedContext) => shared.guestName(context)),
    ),
    { ...link(SHARES.file(':id'), { GET: (context) => shared.file(context) }), sendsFile: true },
    { ...link(SHARES.zip(':id'), { GET: (context) => shared.zip(context) }), sendsFile: true },
  ];
}
