import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { verbatim } from '../../kernel/html-tag.js';

const DECISION_KIND: EventKind = {
  name: 'decision',
  label: 'decision',
  audience: 'workspace',
};

/** The events of decisions that links ask for. */
export const DECISION_EVENTS = {
  requested: {
    kind: DECISION_KIND,
    action: 'decision_requested',
    type: 'decision.requested',
    description: 'A member or an app asked the reviewers of a link for a decision until a time.',
    example: { link: '…', project: '…', until: '2026-12-01T22:59:59.000Z', reviewers: 2 },
    sentence: (t, { by }) => t.html('eventDecisionRequested', { by }),
  },
  made: {
    kind: DECISION_KIND,
    action: 'decision_made',
    type: 'decision.made',
    description:
      'A reviewer has decided about all files of a link, or about some and has finished.',
    example: {
      ...{ link: '…', project: '…', guest: '…', name: 'Mia' },
      ...{ files: 12, decided: 12, approvals: 11, changes: 1 },
    },
    sentence: (t, { about }) =>
      t.html('eventDecisionMade', {
        guest: verbatim(String(about['name'] ?? t.t('eventSomeGuest'))),
      }),
  },
  completed: {
    kind: DECISION_KIND,
    action: 'decision_completed',
    type: 'decision.completed',
    description: 'All reviewers of a link have decided.',
    example: { link: '…', project: '…', reviewers: 2, approvals: 23, changes: 1 },
    sentence: (t) => t.html('eventDecisionCompleted'),
  },
  expired: {
    kind: DECISION_KIND,
    action: 'decision_expired',
    type: 'decision.expired',
    description: 'The date for a decision has passed before all reviewers of a link decided.',
    example: { link: '…', project: '…', reviewers: 2, decided: 1 },
    sentence: (t) => t.html('eventDecisionExpired'),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
