import type { PlainKey } from '../../kernel/i18n/message.js';
import type { EventKind } from './event-types.js';

/** The names of the kinds of events on pages. */
export const KIND_WORDS: Readonly<Record<EventKind, PlainKey>> = {
  upload: 'kindUpload',
  account: 'kindAccount',
  app: 'connectedApps',
  member: 'people',
  link: 'shares',
  feedback: 'answersOfClients',
  workspace: 'kindWorkspace',
  webhook: 'webhooks',
};
