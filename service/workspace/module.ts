import { DAY_MS, type Module } from '../kernel/module.js';

export const workspace: Module = {
  tables: {
    webhook_deliveries: 'An event that is to be sent, or was sent, to a webhook.',
    webhooks: 'An address that gets events.',
  },
  expiring: [{ table: 'webhook_deliveries', by: 'created_at', keptMs: 30 * DAY_MS }],
};
