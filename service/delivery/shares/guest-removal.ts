import type { ServerResponse } from 'node:http';
import type { Audit } from '../../identity/index.js';
import { removeFromEvents } from '../../kernel/events/event-log.js';
import { FEEDBACK_EVENTS, removalEnd, type Guest, type GuestTable } from '../../library/index.js';
import { hideFinishes } from '../digests/index.js';
import { suspendReplies } from '../replies/index.js';
import { DECISION_EVENTS } from '../rounds/index.js';
import { LINK_EVENTS } from './events.js';
import { linkForLog, type Share, type SharingUser } from './share.js';

export interface GuestRemovalDeps {
  readonly guestList: GuestTable;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** Removes guests of a link with everything that they wrote, also from the activity. @returns the id that undoes it */
export function removeGuests(
  { guestList, audit, now }: GuestRemovalDeps,
  share: Share,
  guests: readonly Guest[],
  { user, response }: { readonly user: SharingUser; readonly response: ServerResponse },
): Promise<string> {
  return guestList.remove(share.id, guests, async (transaction, removed) => {
    await removeFromEvents(transaction, 'name', {
      workspaceId: share.workspace.id,
      events: [...Object.values(FEEDBACK_EVENTS), LINK_EVENTS.finished, DECISION_EVENTS.made],
      about: { member: 'guest', values: removed.map(({ id }) => id) },
    });
    await hideFinishes(transaction, share.id, removed, removalEnd(now()));
    await suspendReplies(transaction, share.id, removed, removalEnd(now()));
    for (const guest of removed) {
      await audit(response, FEEDBACK_EVENTS.guestRemoved, aboutOf(share, guest, user), transaction);
    }
  });
}

/** Undoes {@link removeGuests}. */
export function restoreGuests(
  { guestList, audit }: GuestRemovalDeps,
  share: Share,
  removalId: string,
  { user, response }: { readonly user: SharingUser; readonly response: ServerResponse },
): Promise<void> {
  return guestList.restore(share.id, removalId, async (transaction, restored) => {
    await hideFinishes(transaction, share.id, restored, undefined);
    await suspendReplies(transaction, share.id, restored, undefined);
    for (const guest of restored) {
      await audit(
        response,
        FEEDBACK_EVENTS.guestRestored,
        aboutOf(share, guest, user),
        transaction,
      );
    }
  });
}

function aboutOf(share: Share, guest: Guest, { accountId, grantId }: SharingUser) {
  const link = linkForLog({ ...share, workspaceId: share.workspace.id });
  return { ...link, by: accountId, grantId, details: { guest: guest.id } };
}
