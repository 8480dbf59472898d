import { canEdit, type Audit, type PageHandler } from '../../../identity/index.js';
import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { FEEDBACK_EVENTS, presentPlace, type FeedbackTable } from '../../feedback/index.js';
import type { PhotoTable } from '../data/photo-table.js';
import { photoNotFoundPage } from './not-found-page.js';

export interface AnswerActionDeps {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
  readonly audit: Audit;
}

/** Marks a comment of a guest as done or open again, or deletes it. */
export function answerActions({ photos, answers, audit }: AnswerActionDeps): PageHandler {
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
          await answers.remove(photo.photoId, comment, (transaction, { shareId, ...change }) =>
            audit(
              response,
              FEEDBACK_EVENTS.commentDeleted,
              {
                by: account.id,
                workspace: photo.workspaceId,
                ids: { photo: change.photoId, link: shareId },
                details: {
                  name: change.guest.name,
                  guest: change.guest.id,
                  version: change.version,
                  sha256: change.sha256,
                  comment,
                  ...presentPlace(change.place),
                },
              },
              transaction,
            ),
          );
        }
      }
    }
    sendRedirect(response, `${PHOTOS.photo(id)}#answers`);
  };
}
