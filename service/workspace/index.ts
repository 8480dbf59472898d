/** What a workspace sees and sets: members, apps, webhooks, activity, settings. Other modules import from this file only. */
export { workspace } from './module.js';
export { connectionRoute, type ConnectionApiDeps } from './account-api/connection.js';
export { meRoute, type MeDeps } from './account-api/me.js';
export { activityRoutes, type ActivityRoutesDeps } from './activity/routes.js';
export { memberRoutes, type MemberRoutesDeps } from './members/routes.js';
export { settingsRoutes, type SettingsRoutesDeps } from './settings/routes.js';
export { webhookRoutes, type WebhookRoutesDeps } from './webhooks/routes.js';
export { WebhookSender } from './webhooks/webhook-sender.js';
export { WebhookTable } from './webhooks/webhook-table.js';
export { MEMBER_EVENTS } from './members/events.js';
export { addDeliveriesOfEvent } from './webhooks/deliveries.js';
