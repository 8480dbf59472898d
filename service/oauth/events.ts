import type { EventAbout, EventDeclaration, EventKind } from '../kernel/events/event.js';
import { type Html, verbatim } from '../kernel/html-tag.js';
import { message } from '../kernel/i18n/message.js';
import type { Translator } from '../kernel/i18n/translator.js';
import { SETTINGS } from '../site/addresses/settings-paths.js';

export const APP_KIND: EventKind = {
  name: 'app',
  label: 'connectedApps',
  audience: 'workspace',
  namesApp: true,
};

function appIn(translator: Translator, { app, client }: EventAbout): Html {
  return verbatim(String(app ?? client ?? translator.t('eventSomeApp')));
}

/** The events of connected apps. */
export const APP_EVENTS = {
  connected: {
    kind: APP_KIND,
    action: 'app_connected',
    type: 'app.connected',
    description: 'A user connected an app.',
    example: { client: '…', app: 'Photoshop 27.1', name: 'MacBook', os: 'macOS 26.1' },
    sentence: (t, { by, name, about }) =>
      about['name'] === undefined
        ? t.html('eventAppConnected', { by, app: appIn(t, about) })
        : t.html('eventAppConnectedOn', { by, app: appIn(t, about), name }),
    notice: {
      kind: 'app_connected',
      to: 'user',
      message: (text) => {
        const [app = '?', device] = [text('app'), text('name')];
        return device === undefined
          ? message('noticeAppConnected', { app })
          : message('noticeAppConnectedOn', { app, device });
      },
      path: SETTINGS.apps,
    },
  },
  disconnected: {
    kind: APP_KIND,
    action: 'app_disconnected',
    type: 'app.disconnected',
    description: 'The connection of an app ended.',
    example: { client: '…', app: 'Photoshop 27.1', name: 'MacBook', os: 'macOS 26.1' },
    sentence: (t, { by, name, about }) =>
      about['name'] === undefined
        ? t.html('eventAppDisconnected', { by, app: appIn(t, about) })
        : t.html('eventAppDisconnectedOn', { by, app: appIn(t, about), name }),
  },
  renamed: {
    kind: APP_KIND,
    action: 'app_renamed',
    type: 'app.renamed',
    description: 'A user renamed the computer of an app.',
    example: { client: '…', name: 'MacBook' },
    sentence: (t, { by, name }) => t.html('eventAppRenamed', { by, name }),
  },
  numberRefused: {
    kind: APP_KIND,
    action: 'app_number_refused',
    type: 'app.number_refused',
    description: 'A user or an app chose the wrong number during a sign-in by code.',
    example: { client: '…', app: 'Photoshop 27.1', name: 'MacBook', os: 'macOS 26.1' },
    sentence: (t, { user: by, about }) =>
      t.html('eventAppNumberRefused', { by, app: appIn(t, about) }),
    notice: {
      kind: 'app_number_refused',
      to: 'user',
      message: (text) => message('noticeNumberRefused', { app: text('app') ?? '?' }),
      path: SETTINGS.apps,
    },
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
