import { canEdit, type Audit, type PageHandler } from '../../../identity/index.js';
import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  changeRecorder,
  commentOf,
  FEEDBACK_EVENTS,
  type FeedbackTable,
} from '../../feedback/index.js';
import type { PhotoTable } from '../data/photo-table.js';
import { photoNotFoundPage } from './not-found-page.js';

export interface AnswerActionDeps {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
  readonly audit: Audit;
}

/** Replies to a comment of a guest, marks it as done or open again, or deletes it. */
export function answerActions({ photos, answers, audit }: AnswerActionDeps): PageHandler {
  return async (context) => {
    const { response, id, account, memberships } = context;
    const form = context.form ?? new URLSearchParams();
    const photo = await photos.findCurrent(id);
    if (photo === undefined || !canEdit(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const by = { by: account.id, workspace: photo.workspaceId };
    const recorded = changeRecorder(audit, response, by);
    const { photoId } = photo;
    for (const [action, comment] of form) {
      if (/^[\w-]{1,64}$/.test(comment)) {
        if (action === 'done' || action === 'reopen') {
          const isDone = action === 'done';
          const { commentDone, commentReopened } = FEEDBACK_EVENTS;
          const event = isDone ? commentDone : commentReopened;
          await answers.setDone(photoId, comment, isDone, recorded(event));
        } else if (action === 'reply') {
          const text = commentOf(form.get(`text-${comment}`) ?? '');
          if (text !== undefined) {
            const reply = { text, by: account.id };
            await answers.reply(photoId, comment, reply, recorded(FEEDBACK_EVENTS.commentReplied));
          }
        } else if (action === 'delete') {
          await answers.remove(photoId, comment, recorded(FEEDBACK_EVENTS.commentDeleted));
        }
      }
    }
    sendRedirect(response, wayBack(form) ?? `${PHOTOS.photo(id)}#answers`);
  };
}

/** The list of a link's answers that the form was sent from, with its filter; undefined for the page of the photo. */
function wayBack(form: URLSearchParams): string | undefined {
  const back = form.get('back') ?? '';
  return /^\/shares\/[\w-]{1,64}\/answers(\?[\w=&.-]{1,200})?#[\w-]{1,80}$/.test(back)
    ? back
    : undefined;
}
