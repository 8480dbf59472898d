import accountApi from './account-api/openapi.json' with { type: 'json' };
import { MEMBER_EVENTS } from './members/events.js';
import { APPLICATION_EVENTS, TOKEN_EVENTS } from './settings/events.js';
import { addDeliveriesOfEvent } from './webhooks/deliveries.js';
import { WEBHOOK_EVENTS } from './webhooks/events.js';
import { message } from '../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../site/addresses/people-paths.js';
import { SETTINGS } from '../site/addresses/settings-paths.js';
import { DAY_MS, type Module } from '../kernel/module.js';

/** See `Module.secrets`. */
export const SECRETS = { webhook: 'The secret that signs the deliveries of a webhook.' };

export const workspace: Module = {
  onEvent: addDeliveriesOfEvent,
  secrets: SECRETS,
  tables: {
    webhook_deliveries: 'An event that is to be sent, or was sent, to a webhook.',
    webhooks: 'An address that gets events.',
  },
  expiring: [{ table: 'webhook_deliveries', by: 'created_at', keptMs: 30 * DAY_MS }],
  events: [
    ...Object.values(MEMBER_EVENTS),
    ...Object.values(TOKEN_EVENTS),
    ...Object.values(APPLICATION_EVENTS),
    ...Object.values(WEBHOOK_EVENTS),
  ],
  api: [accountApi],
  menu: [
    {
      section: 'people',
      menu: 'settings',
      position: 20,
      path: PEOPLE_PATHS.people,
      label: 'people',
      isOfWorkspace: true,
    },
    {
      section: 'apps',
      menu: 'settings',
      position: 30,
      path: SETTINGS.apps,
      label: 'connectedApps',
    },
    {
      section: 'activity',
      menu: 'settings',
      position: 50,
      path: SETTINGS.activity,
      label: 'activity',
      isForOwners: true,
      isOfWorkspace: true,
    },
    {
      section: 'developer',
      menu: 'settings',
      position: 60,
      path: SETTINGS.developer,
      label: 'developer',
    },
  ],
  flashMessages: {
    disconnected: message('disconnected'),
    saved: message('saved'),
    deleted: message('deleted'),
    revoked: message('revoked'),
    left: message('left'),
    memberRemoved: message('memberRemoved'),
    invitationRevoked: message('invitationRevoked'),
    webhookTested: message('webhookTested'),
    webhookSentAgain: message('webhookSentAgain'),
  },
};
