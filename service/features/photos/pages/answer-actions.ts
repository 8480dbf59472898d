import { canEdit } from '../../../auth/accounts/photo-policy.js';
import type { PageHandler } from '../../../auth/session/authenticated-request.js';
import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import type { AnswerTable } from '../../answers/index.js';
import type { PhotoTable } from '../data/photo-table.js';
import { photoNotFoundPage } from './not-found-page.js';

/** Marks a comment of a guest as done or open again, or deletes it. */
export function answerActions({
  photos,
  answers,
}: {
  readonly photos: PhotoTable;
  readonly answers: AnswerTable;
}): PageHandler {
  return async (context) => {
    const { response, id, account, memberships } = context;
    const form = context.form ?? new URLSearchParams();
    const photo = await photos.findCurrent(id);
    if (photo === undefined || !canEdit(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    for (const [action, comment] of form) {
      if (/^[\w-]{1,64}$/.test(comment)) {
        if (action === 'done' || action === 'reopen') {
          await answers.setDone(photo.photoId, comment, action === 'done');
        } else if (action === 'delete') {
          await answers.remove(photo.photoId, comment);
        }
      }
    }
    sendRedirect(response, `${PHOTOS.photo(id)}#answers`);
  };
}
