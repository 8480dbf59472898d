import type { EventAbout, EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';

export const FEEDBACK_KIND: EventKind = {
  name: 'feedback',
  label: 'answersOfClients',
  audience: 'workspace',
};

function guestIn(translator: Translator, { name }: EventAbout): Html {
  return verbatim(String(name ?? translator.t('eventSomeGuest')));
}

/** The events of what guests of links say about photos. */
export const FEEDBACK_EVENTS = {
  approved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_approved',
    type: 'feedback.approved',
    description: 'A guest approved a file.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
    },
    sentence: (t, { about }) => t.html('eventFeedbackApproved', { guest: guestIn(t, about) }),
  },
  approvalWithdrawn: {
    kind: FEEDBACK_KIND,
    action: 'feedback_approval_withdrawn',
    type: 'feedback.approval_withdrawn',
    description: 'A guest withdrew an approval.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
    },
    sentence: (t, { about }) => t.html('eventApprovalWithdrawn', { guest: guestIn(t, about) }),
  },
  favouriteAdded: {
    kind: FEEDBACK_KIND,
    action: 'feedback_favourite_added',
    type: 'feedback.favourite_added',
    description: 'A guest marked a file as a favourite.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
    },
    sentence: (t, { about }) => t.html('eventFavouriteAdded', { guest: guestIn(t, about) }),
  },
  favouriteRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_favourite_removed',
    type: 'feedback.favourite_removed',
    description: 'A guest removed a favourite.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
    },
    sentence: (t, { about }) => t.html('eventFavouriteRemoved', { guest: guestIn(t, about) }),
  },
  commentCreated: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_created',
    type: 'feedback.comment_created',
    description: 'A guest commented on a file.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
      comment: '…',
      page: 3,
      start: 42.5,
      end: 51,
      x: 0.25,
      y: 0.5,
    },
    sentence: (t, { about }) => t.html('eventCommentCreated', { guest: guestIn(t, about) }),
  },
  commentDeleted: {
    kind: FEEDBACK_KIND,
    action: 'feedback_comment_deleted',
    type: 'feedback.comment_deleted',
    description: 'A guest or a member deleted a comment.',
    example: {
      link: '…',
      project: '…',
      photo: '…',
      version: 2,
      sha256: '9f86…',
      guest: '…',
      name: 'Mia',
      comment: '…',
      page: 3,
      start: 42.5,
      end: 51,
      x: 0.25,
      y: 0.5,
    },
    sentence: (t, { by, about, isBySystem }) =>
      isBySystem
        ? t.html('eventCommentDeleted', { guest: guestIn(t, about) })
        : t.html('eventCommentDeletedBy', { by, guest: guestIn(t, about) }),
  },
  guestRemoved: {
    kind: FEEDBACK_KIND,
    action: 'feedback_guest_removed',
    type: 'feedback.guest_removed',
    description: 'A member removed a guest with all feedback.',
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
