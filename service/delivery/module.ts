import type { Module } from '../kernel/module.js';

export const delivery: Module = {
  tables: {
    share_photos: 'A photo of a link to chosen photos.',
    shares: 'A link that shows photos without a sign-in.',
    workspace_logos: 'The logo of a workspace.',
  },
  expiring: [],
};
