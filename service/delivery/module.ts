import { LINK_EVENTS } from './shares/events.js';
import { message } from '../kernel/i18n/message.js';
import { SHARES } from '../site/addresses/share-paths.js';
import type { Module } from '../kernel/module.js';

export const delivery: Module = {
  tables: {
    share_photos: 'A photo of a link to chosen photos.',
    shares: 'A link that shows photos without a sign-in.',
    workspace_logos: 'The logo of a workspace.',
  },
  expiring: [],
  events: [...Object.values(LINK_EVENTS)],
  menu: [
    {
      section: 'shares',
      menu: 'main',
      position: 30,
      path: SHARES.root,
      label: 'shares',
      isOfWorkspace: true,
    },
  ],
  flashMessages: {
    shareRevoked: message('shareRevoked'),
    shareRestored: message('shareRestored'),
  },
};
