import type { EventAbout, EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { FeedbackChange } from './feedback.js';
import { presentPlace } from './place.js';

export const FEEDBACK_KIND: EventKind = {
  name: 'feedback',
  label: 'answersOfClients',
  audience: 'workspace',
};

function guestIn(translator: Translator, { name }: EventAbout): Html {
  return verbatim(String(name ?? translator.t('eventSomeGuest')));
}

/** What an event has about a change of an answer. */
export function aboutChange({
  id,
  kind,
  guest,
  version,
  sha256,
  value,
  place,
}: FeedbackChange): EventAbout {
  return {
    ...{ name: guest.name, guest: guest.id, version, sha256 },
    ...(kind === 'comment' && { comment: id, ...presentPlace(place) }),
    ...((kind === 'stars' || kind === 'label') && value !== undefined && { [kind]: value }),
  };
}

/** What every event about an answer has, and what a comment has in addition. */
const ON_FILE = {
  link: '…',
  project: '…',
  photo: '…',
  version: 2,
  sha256: '9f86…',
  guest: '…',
  name: 'Mia',
} as const;
const AT_PLACE = { comment: '…', page: 3, start: 42.5, end: 51, x: 0.25, y: 0.5 } as const;

/** The events of what guests of links say about photos. */
export const FEEDBACK_EVENTS = {
  approved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_approved',
    type: 'feedback.approved',
    description: 'A guest approved a file.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventFeedbackApproved', { guest: guestIn(t, about) }),
  },
  approvalWithdrawn: {
    kind: FEEDBACK_KIND,
    action: 'feedback_approval_withdrawn',
    type: 'feedback.approval_withdrawn',
    description: 'A guest withdrew an approval.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventApprovalWithdrawn', { guest: guestIn(t, about) }),
  },
  changesRequested: {
    kind: FEEDBACK_KIND,
    action: 'feedback_changes_requested',
    type: 'feedback.changes_requested',
    description: 'A guest requested changes to a file.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventChangesRequested', { guest: guestIn(t, about) }),
  },
  changesWithdrawn: {
    kind: FEEDBACK_KIND,
    action: 'feedback_changes_withdrawn',
    type: 'feedback.changes_withdrawn',
    description: 'A guest withdrew a request for changes.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventChangesWithdrawn', { guest: guestIn(t, about) }),
  },
  starsSet: {
    kind: FEEDBACK_KIND,
    action: 'feedback_stars_set',
    type: 'feedback.stars_set',
    description: 'A guest rated a file with 1 to 5 stars.',
    example: {
      ...ON_FILE,
      stars: 4,
    },
    sentence: (t, { about }) => t.html('eventStarsSet', { guest: guestIn(t, about) }),
  },
  starsRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_stars_removed',
    type: 'feedback.stars_removed',
    description: 'A guest removed the stars of a file.',
    example: {
      ...ON_FILE,
      stars: 4,
    },
    sentence: (t, { about }) => t.html('eventStarsRemoved', { guest: guestIn(t, about) }),
  },
  labelSet: {
    kind: FEEDBACK_KIND,
    action: 'feedback_label_set',
    type: 'feedback.label_set',
    description: 'A guest marked a file with one of five labels.',
    example: {
      ...ON_FILE,
      label: 3,
    },
    sentence: (t, { about }) => t.html('eventLabelSet', { guest: guestIn(t, about) }),
  },
  labelRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_label_removed',
    type: 'feedback.label_removed',
    description: 'A guest removed the label of a file.',
    example: {
      ...ON_FILE,
      label: 3,
    },
    sentence: (t, { about }) => t.html('eventLabelRemoved', { guest: guestIn(t, about) }),
  },
  favouriteAdded: {
    kind: FEEDBACK_KIND,
    action: 'feedback_favourite_added',
    type: 'feedback.favourite_added',
    description: 'A guest marked a file as a favourite.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventFavouriteAdded', { guest: guestIn(t, about) }),
  },
  favouriteRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_favourite_removed',
    type: 'feedback.favourite_removed',
    description: 'A guest removed a favourite.',
    example: ON_FILE,
    sentence: (t, { about }) => t.html('eventFavouriteRemoved', { guest: guestIn(t, about) }),
  },
  commentCreated: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_created',
    type: 'feedback.comment_created',
    description: 'A guest commented on a file.',
    example: {
      ...ON_FILE,
      ...AT_PLACE,
    },
    sentence: (t, { about }) => t.html('eventCommentCreated', { guest: guestIn(t, about) }),
  },
  commentDeleted: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_deleted',
    type: 'feedback.comment_deleted',
    description: 'A guest or a member deleted a comment.',
    example: {
      ...ON_FILE,
      ...AT_PLACE,
    },
    sentence: (t, { by, about, isBySystem }) =>
      isBySystem
        ? t.html('eventCommentDeleted', { guest: guestIn(t, about) })
        : t.html('eventCommentDeletedBy', { by, guest: guestIn(t, about) }),
  },
  commentReplied: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_replied',
    type: 'feedback.comment_replied',
    description: 'A member replied to a comment.',
    example: {
      ...ON_FILE,
      comment: '…',
    },
    sentence: (t, { by, about }) => t.html('eventCommentReplied', { by, guest: guestIn(t, about) }),
  },
  commentDone: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_done',
    type: 'feedback.comment_done',
    description: 'A member marked a comment as done.',
    example: {
      ...ON_FILE,
      comment: '…',
    },
    sentence: (t, { by, about }) => t.html('eventCommentDone', { by, guest: guestIn(t, about) }),
  },
  commentReopened: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_reopened',
    type: 'feedback.comment_reopened',
    description: 'A member marked a comment as open again.',
    example: {
      ...ON_FILE,
      comment: '…',
    },
    sentence: (t, { by, about }) =>
      t.html('eventCommentReopened', { by, guest: guestIn(t, about) }),
  },
  guestRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_guest_removed',
    type: 'feedback.guest_removed',
    description: 'A member removed a guest with all feedback. It can be undone for 30 days.',
    example: { link: '…', project: '…', guest: '…' },
    sentence: (t, { by }) => t.html('eventGuestRemoved', { by }),
  },
  guestRestored: {
    kind: FEEDBACK_KIND,
    action: 'feedback_guest_restored',
    type: 'feedback.guest_restored',
    description: 'A member undid the removal of a guest.',
    example: { link: '…', project: '…', guest: '…' },
    sentence: (t, { by }) => t.html('eventGuestRestored', { by }),
  },
  leftOut: {
    kind: FEEDBACK_KIND,
    action: 'feedback_left_out',
    type: 'feedback.left_out',
    description:
      'A link has more feedback than events: one address has 300 an hour, one link 1,000.',
    example: { link: '…', project: '…' },
    sentence: (t) => t.html('eventFeedbackLeftOut'),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
