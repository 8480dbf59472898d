import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';

export const WORKSPACE_KIND: EventKind = {
  name: 'workspace',
  label: 'kindWorkspace',
  audience: 'workspace',
};

/** The events of the rules of a workspace. */
export const POLICY_EVENTS = {
  changed: {
    kind: WORKSPACE_KIND,
    action: 'policy_changed',
    type: 'workspace.policy_changed',
    description: 'An owner changed a rule of the workspace.',
    example: { setting: 'visibility', value: 'all' },
    sentence: (t, { by, about }) =>
      t.html(about['setting'] === 'visibility' ? 'eventVisibilityChanged' : 'eventPolicyChanged', {
        by,
      }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
