export type { Webhook } from './webhook.js';
export { webhookHeading, webhookList } from './webhook-list.js';
export type { WebhookTable } from './webhook-table.js';
