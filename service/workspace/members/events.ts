import { MEMBER_KIND, roleIn } from '../../identity/index.js';
import type { EventDeclaration } from '../../kernel/events/event.js';

/** The events of members. */
export const MEMBER_EVENTS = {
  roleChanged: {
    kind: MEMBER_KIND,
    action: 'role_changed',
    type: 'member.role_changed',
    description: 'A member got another role.',
    example: { role: 'owner' },
    sentence: (t, { by, user, about }) =>
      t.html('eventRoleChanged', { by, user, role: roleIn(t, about) }),
  },
  removed: {
    kind: MEMBER_KIND,
    action: 'removed',
    type: 'member.removed',
    description: 'A member was removed from the workspace.',
    example: {},
    sentence: (t, { by, user }) => t.html('eventRemoved', { by, user }),
  },
  left: {
    kind: MEMBER_KIND,
    action: 'left',
    type: 'member.left',
    description: 'A member left the workspace.',
    example: {},
    sentence: (t, { by }) => t.html('eventLeft', { by }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
