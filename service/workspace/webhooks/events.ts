import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { message } from '../../kernel/i18n/message.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

const WEBHOOK_KIND: EventKind = {
  name: 'webhook',
  label: 'webhooks',
  audience: 'workspace',
};

/** The events of webhooks. `name` is the host of the address. */
export const WEBHOOK_EVENTS = {
  created: {
    kind: WEBHOOK_KIND,
    action: 'webhook_made',
    type: 'webhook.made',
    description: 'An owner created a webhook.',
    example: { name: 'hooks.example.com' },
    sentence: (t, { by, name }) => t.html('eventWebhookMade', { by, name }),
  },
  changed: {
    kind: WEBHOOK_KIND,
    action: 'webhook_changed',
    type: 'webhook.changed',
    description: 'An owner changed a webhook or its secret.',
    example: { name: 'hooks.example.com' },
    sentence: (t, { by, name }) => t.html('eventWebhookChanged', { by, name }),
  },
  deleted: {
    kind: WEBHOOK_KIND,
    action: 'webhook_deleted',
    type: 'webhook.deleted',
    description: 'An owner deleted a webhook.',
    example: { name: 'hooks.example.com' },
    sentence: (t, { by, name }) => t.html('eventWebhookDeleted', { by, name }),
  },
  turnedOff: {
    kind: WEBHOOK_KIND,
    action: 'webhook_turned_off',
    type: 'webhook.turned_off',
    description:
      'A webhook was turned off, because it failed for three days or its receiver is gone.',
    example: { name: 'hooks.example.com' },
    sentence: (t, { name }) => t.html('eventWebhookOff', { name }),
    notice: {
      kind: 'webhook_turned_off',
      to: 'owners',
      message: (text) => message('noticeWebhookOff', { name: text('name') ?? '?' }),
      path: SETTINGS.developer,
      advice: 'webhookOffText',
    },
  },
  test: {
    kind: WEBHOOK_KIND,
    action: 'webhook_test',
    type: 'webhook.test',
    description: 'An owner requested a test. Only this webhook gets it.',
    example: {},
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
