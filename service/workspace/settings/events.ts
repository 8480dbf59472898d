import { APP_KIND } from '../../oauth/index.js';
import { WORKSPACE_KIND } from '../../identity/index.js';
import type { EventDeclaration } from '../../kernel/events/event.js';
import { message } from '../../kernel/i18n/message.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** The events of personal access tokens. */
export const TOKEN_EVENTS = {
  created: {
    kind: APP_KIND,
    action: 'token_made',
    type: 'app.token_made',
    description: 'A user created a personal access token.',
    example: { name: 'Backup script' },
    sentence: (t, { by, name }) => t.html('eventTokenMade', { by, name }),
    notice: {
      kind: 'token_made',
      to: 'user',
      message: (text) => message('noticeTokenMade', { name: text('name') ?? '?' }),
      path: SETTINGS.developer,
    },
  },
  revoked: {
    kind: APP_KIND,
    action: 'token_revoked',
    type: 'app.token_revoked',
    description: 'A user revoked a personal access token.',
    example: { name: 'Backup script' },
    sentence: (t, { by, name }) => t.html('eventTokenRevoked', { by, name }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;

/** The events of OAuth applications of a workspace. */
export const APPLICATION_EVENTS = {
  created: {
    kind: WORKSPACE_KIND,
    action: 'application_made',
    type: 'workspace.application_made',
    description: 'An owner created an OAuth application.',
    example: { name: 'Gallery' },
    sentence: (t, { by, name }) => t.html('eventApplicationMade', { by, name }),
  },
  changed: {
    kind: WORKSPACE_KIND,
    action: 'application_changed',
    type: 'workspace.application_changed',
    description: 'An owner changed an OAuth application.',
    example: { name: 'Gallery' },
    sentence: (t, { by, name }) => t.html('eventApplicationChanged', { by, name }),
  },
  secretCreated: {
    kind: WORKSPACE_KIND,
    action: 'application_secret_made',
    type: 'workspace.application_secret_made',
    description: 'An owner created a new secret for an OAuth application.',
    example: { name: 'Gallery' },
    sentence: (t, { by, name }) => t.html('eventApplicationSecretMade', { by, name }),
  },
  deleted: {
    kind: WORKSPACE_KIND,
    action: 'application_deleted',
    type: 'workspace.application_deleted',
    description: 'An owner deleted an OAuth application.',
    example: { name: 'Gallery' },
    sentence: (t, { by, name }) => t.html('eventApplicationDeleted', { by, name }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
