import type { AuthenticatedRequest, PageHandler } from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { guestNameOf } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';
import { removeGuests, restoreGuests } from './guest-removal.js';
import type { OpenShare, Share } from './share.js';
import { ShareChanges } from './share-changes.js';
import { changeable } from './share-list.js';
import type { ShareAnswersDeps } from './shown-answers.js';

/** A press of a button on the page with the feedback of a link. */
interface Press {
  readonly deps: ShareAnswersDeps;
  readonly context: AuthenticatedRequest;
  readonly share: OpenShare;
  /** The value of the button or of its field, such as the id of a guest. */
  readonly subject: string;
}

/** Changes what the page has buttons for: the guests of a link, whether it takes answers, and the mails to its creator. */
export function changeGuests(deps: ShareAnswersDeps): PageHandler {
  return async (context) => {
    const form = context.form ?? new URLSearchParams();
    const share = await changeable(deps.shares, context, context.id);
    const action = GUEST_ACTIONS.find((name) => form.has(name));
    if (share !== undefined && action !== undefined) {
      const press = { deps, context, share, subject: form.get(action) ?? '' };
      const end = await ACTIONS[action](press);
      if (end !== undefined) {
        sendRedirect(context.response, SHARES.answersOf(share.id) + end);
        return;
      }
    }
    sendPage(context, 404, notFoundPage());
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

/** What the buttons do. Each gives the end of the address that is shown then; undefined for a button of the creator. */
const ACTIONS: Readonly<
  Record<(typeof GUEST_ACTIONS)[number], (press: Press) => Promise<string | undefined>>
> = {
  feedback: async ({ deps, context, share, subject }) => {
    const { request, response, account } = context;
    const edit = { takesFeedback: subject === 'open' };
    const user = { accountId: account.id };
    await new ShareChanges(deps).change(share, edit, user, { request, response });
    return '';
  },
  unknown: async ({ deps, context, share }) => {
    const { guestList, digests } = deps;
    const unknown = await guestList.unknown(share.id);
    const finished = (await digests.finishesOf(share.id)).map(({ guest }) => guest);
    const known = new Set((await guestList.known(share.id)).map(({ id }) => id));
    const others = [...unknown, ...finished].filter(({ id }) => !known.has(id));
    await removeGuests(deps, share, others, userOf(context));
    return '#removed';
  },
  remove: async ({ deps, context, share, subject }) => {
    const guest = { id: subject, name: await nameOf(deps, share, subject) };
    if (guest.name !== '') {
      await removeGuests(deps, share, [guest], userOf(context));
    }
    return '#removed';
  },
  restore: async ({ deps, context, share, subject }) => {
    await restoreGuests(deps, share, subject, userOf(context));
    return '';
  },
  known: async ({ deps, share, subject }) => {
    await deps.guestList.confirm(share.id, subject);
    return '';
  },
  invite: async ({ deps, context, share, subject }) => {
    if (share.creatorId !== context.account.id) {
      return undefined;
    }
    const name = guestNameOf(subject);
    const invited = name === undefined ? undefined : await deps.guestList.invite(share.id, name);
    return name !== undefined && invited === undefined ? '?flash=guestsAreFull' : '#invited';
  },
  mails: async ({ deps: { digests }, context: { account }, share, subject }) => {
    if (share.creatorId !== account.id) {
      return undefined;
    }
    if (subject === 'off') {
      await digests.optOut(account.id, share.id);
      return '?flash=feedbackMailsOff';
    }
    await digests.optIn(account.id, share.id);
    return '?flash=feedbackMailsOn';
  },
};

function userOf({ account, response }: AuthenticatedRequest): Parameters<typeof removeGuests>[3] {
  return { user: { accountId: account.id }, response };
}

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
