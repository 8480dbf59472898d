/** What a workspace sees and sets: members, apps, webhooks, activity, settings. Other modules import from this file only. */
export { workspace } from './module.js';
export { startWorkspace } from './start.js';
export { MEMBER_EVENTS } from './members/events.js';
