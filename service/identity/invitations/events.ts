import type { EventAbout, EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';

export const MEMBER_KIND: EventKind = { name: 'member', label: 'people', audience: 'workspace' };

/** The role that an event is about, as the sentences of events name it. */
export function roleIn(translator: Translator, { role }: EventAbout): Html {
  return html`${translator.t(role === 'owner' ? 'roleOwner' : 'roleMember')}`;
}

/** The events of invitations. */
export const INVITATION_EVENTS = {
  sent: {
    kind: MEMBER_KIND,
    action: 'invited',
    type: 'member.invited',
    description: 'An owner created an invitation.',
    example: { role: 'member', invitation: '…' },
    sentence: (t, { by, about }) => t.html('eventInvited', { by, role: roleIn(t, about) }),
  },
  revoked: {
    kind: MEMBER_KIND,
    action: 'invitation_revoked',
    type: 'member.invitation_revoked',
    description: 'An owner revoked an invitation.',
    example: { invitation: '…' },
    sentence: (t, { by }) => t.html('eventInvitationRevoked', { by }),
  },
  joined: {
    kind: MEMBER_KIND,
    action: 'joined',
    type: 'member.joined',
    description: 'A user joined the workspace.',
    example: { role: 'member', invitation: '…' },
    sentence: (t, { user: by, about }) => t.html('eventJoined', { by, role: roleIn(t, about) }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
