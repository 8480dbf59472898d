import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { verbatim } from '../../kernel/html-tag.js';

export const LINK_KIND: EventKind = { name: 'link', label: 'shares', audience: 'workspace' };

/** The events of links. */
export const LINK_EVENTS = {
  created: {
    kind: LINK_KIND,
    action: 'link_made',
    type: 'link.made',
    description: 'A member or an app created a link.',
    example: { link: '…', photos: 12, app: 'Photoshop 27.1', name: 'MacBook', os: 'macOS 26.1' },
    sentence: (t, { by }) => t.html('eventLinkMade', { by }),
  },
  opened: {
    kind: LINK_KIND,
    action: 'link_opened',
    type: 'link.opened',
    description: 'A guest opened a link for the first time in an hour.',
    example: { link: '…', project: '…' },
    sentence: (t) => t.html('eventLinkOpened'),
  },
  passwordRefused: {
    kind: LINK_KIND,
    action: 'link_password_refused',
    type: 'link.password_refused',
    description: 'A guest entered a wrong password of a link.',
    example: { link: '…', photo: '…' },
    sentence: (t) => t.html('eventLinkPasswordRefused'),
  },
  changed: {
    kind: LINK_KIND,
    action: 'link_changed',
    type: 'link.changed',
    description: 'A member changed a link.',
    example: { link: '…', photos: 12 },
    sentence: (t, { by }) => t.html('eventLinkChanged', { by }),
  },
  revoked: {
    kind: LINK_KIND,
    action: 'link_revoked',
    type: 'link.revoked',
    description: 'A member ended a link.',
    example: { link: '…', project: '…' },
    sentence: (t, { by }) => t.html('eventLinkRevoked', { by }),
  },
  restored: {
    kind: LINK_KIND,
    action: 'link_restored',
    type: 'link.restored',
    description: 'A member undid the end of a link.',
    example: { link: '…', project: '…' },
    sentence: (t, { by }) => t.html('eventLinkRestored', { by }),
  },
  finished: {
    kind: LINK_KIND,
    action: 'link_finished',
    type: 'link.finished',
    description: 'A guest has finished with a link.',
    example: { link: '…', project: '…', guest: '…', name: 'Mia' },
    sentence: (t, { about }) =>
      t.html('eventLinkFinished', {
        guest: verbatim(String(about['name'] ?? t.t('eventSomeGuest'))),
      }),
  },
  expired: {
    kind: LINK_KIND,
    action: 'link_expired',
    type: 'link.expired',
    description: 'A link ended at its date.',
    example: { link: '…', photo: '…' },
    sentence: (t) => t.html('eventLinkExpired'),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
