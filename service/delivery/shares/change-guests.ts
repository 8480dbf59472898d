import type { PageHandler } from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { guestNameOf } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';
import { removeGuests, restoreGuests } from './guest-removal.js';
import type { Share } from './share.js';
import { ShareChanges } from './share-changes.js';
import { changeable } from './share-list.js';
import type { ShareAnswersDeps } from './shown-answers.js';

/**
 * Changes what the page has buttons for: the guests of a link, whether it takes answers, and the mails to its creator.
 */
export function changeGuests(deps: ShareAnswersDeps): PageHandler {
  const changes = new ShareChanges(deps);
  return async (context) => {
    const { request, response, account } = context;
    const form = context.form ?? new URLSearchParams();
    const share = await changeable(deps.shares, context, context.id);
    const action = GUEST_ACTIONS.find((name) => form.has(name));
    const subject = action === undefined ? '' : (form.get(action) ?? '');
    if (share === undefined || action === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const user = { accountId: account.id };
    const by = { user, response };
    const back = (rest = ''): void => {
      sendRedirect(response, SHARES.answersOf(share.id) + rest);
    };
    if (action === 'feedback') {
      const edit = { takesFeedback: subject === 'open' };
      await changes.change(share, edit, user, { request, response });
      back();
    } else if (action === 'unknown') {
      const { guestList, digests } = deps;
      const unknown = await guestList.unknown(share.id);
      const finished = (await digests.finishesOf(share.id)).map(({ guest }) => guest);
      const known = new Set((await guestList.known(share.id)).map(({ id }) => id));
      const others = [...unknown, ...finished].filter(({ id }) => !known.has(id));
      await removeGuests(deps, share, others, by);
      back('#removed');
    } else if (action === 'remove') {
      const guest = { id: subject, name: await nameOf(deps, share, subject) };
      if (guest.name !== '') {
        await removeGuests(deps, share, [guest], by);
      }
      back('#removed');
    } else if (action === 'restore') {
      await restoreGuests(deps, share, subject, by);
      back();
    } else if (action === 'known') {
      await deps.guestList.confirm(share.id, subject);
      back();
    } else if (share.creatorId !== account.id) {
      sendPage(context, 404, notFoundPage());
    } else if (action === 'invite') {
      const name = guestNameOf(subject);
      const invited = name === undefined ? undefined : await deps.guestList.invite(share.id, name);
      back(name !== undefined && invited === undefined ? '?flash=guestsAreFull' : '#invited');
    } else {
      const isEnd = subject === 'off';
      await (isEnd
        ? deps.digests.optOut(account.id, share.id)
        : deps.digests.optIn(account.id, share.id));
      back(`?flash=${isEnd ? 'feedbackMailsOff' : 'feedbackMailsOn'}`);
    }
  };
}

/** The buttons of the page. */
export const GUEST_ACTIONS = [
  'feedback',
  'unknown',
  'remove',
  'restore',
  'known',
  'invite',
  'mails',
] as const;

/** The name of a guest who answered or has finished; empty without one. */
async function nameOf(
  { guestList, digests }: ShareAnswersDeps,
  { id: shareId }: Share,
  guestId: string,
): Promise<string> {
  const guest =
    (await guestList.find(shareId, guestId)) ?? (await digests.finishOf(shareId, guestId))?.guest;
  return guest?.name ?? '';
}
