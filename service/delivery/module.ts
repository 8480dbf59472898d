import receiptsApi from './receipts/openapi.json' with { type: 'json' };
import sharesApi from './shares/openapi.json' with { type: 'json' };
import { FEEDBACK_EVENTS, FEEDBACK_KIND } from '../library/index.js';
import { CONFIRM_HOURS, recordReply } from './replies/index.js';
import { DECISION_EVENTS, recordDecision } from './rounds/index.js';
import { LINK_EVENTS } from './shares/events.js';
import { recordGuestFeedback } from './shares/feedback-events.js';
import type { EventDeclaration } from '../kernel/events/event.js';
import { message } from '../kernel/i18n/message.js';
import { SHARES } from '../site/addresses/share-paths.js';
import type { Module } from '../kernel/module.js';

/** The feedback events that members cause, and the one that is about no change. */
const NOT_OF_GUESTS: ReadonlySet<EventDeclaration> = new Set([
  FEEDBACK_EVENTS.leftOut,
  FEEDBACK_EVENTS.guestRemoved,
  FEEDBACK_EVENTS.guestRestored,
  FEEDBACK_EVENTS.commentReplied,
  FEEDBACK_EVENTS.commentDone,
  FEEDBACK_EVENTS.commentReopened,
]);

export const delivery: Module = {
  tables: {
    digest_opt_outs: 'A link about whose feedback a user wants no mails.',
    reply_stops: 'A mailbox whose reader ended the mails with replies about a link.',
    reply_subscriptions: 'A guest who gets replies by mail, or asked for that.',
    share_digests: 'A link with feedback of which its creator gets a mail.',
    share_downloads: 'A file that guests downloaded through a link with a limit of files.',
    share_finishes: 'A guest who has finished with a link.',
    share_rounds: 'The decision that a link asks its reviewers for.',
    share_photos: 'A photo of a link to chosen photos.',
    shares: 'A link that shows photos without a sign-in.',
    workspace_logos: 'The logo of a workspace.',
  },
  expiring: [
    {
      table: 'reply_subscriptions',
      by: 'requested_at',
      keptMs: CONFIRM_HOURS * 3_600_000,
      kinds: 'confirmed_at IS NULL',
    },
    {
      table: 'reply_subscriptions',
      by: 'removed_until',
      keptMs: 0,
      kinds: 'removed_until IS NOT NULL',
    },
    {
      table: 'share_finishes',
      by: 'removed_until',
      keptMs: 0,
      kinds: 'removed_until IS NOT NULL',
    },
  ],
  events: [...Object.values(LINK_EVENTS), ...Object.values(DECISION_EVENTS)],
  api: [sharesApi, receiptsApi],
  onEvent: async (transaction, { declaration, about, happenedAt }) => {
    const link = String(about['link'] ?? '');
    if (declaration.kind === FEEDBACK_KIND && !NOT_OF_GUESTS.has(declaration)) {
      await recordGuestFeedback(transaction, link, happenedAt);
    }
    if (declaration === LINK_EVENTS.finished) {
      await recordDecision(transaction, link, happenedAt);
    }
    if (declaration === FEEDBACK_EVENTS.commentReplied) {
      await recordReply(
        transaction,
        { shareId: link, guestId: String(about['guest']) },
        happenedAt,
      );
    }
  },
  menu: [
    {
      section: 'shares',
      menu: 'main',
      position: 30,
      path: SHARES.root,
      label: 'shares',
      isOfWorkspace: true,
    },
  ],
  flashMessages: {
    shareRevoked: message('shareRevoked'),
    shareRestored: message('shareRestored'),
    guestsAreFull: message('guestsAreFull'),
    feedbackMailsOn: message('feedbackMailsOn'),
    feedbackMailsOff: message('feedbackMailsOff'),
  },
};
