import type { EventDeclaration } from '../../kernel/events/event.js';
import { message } from '../../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { ACCOUNT_KIND } from '../accounts/events.js';
import { WORKSPACE_KIND } from '../security/events.js';

/** The events of company accounts. */
export const COMPANY_EVENTS = {
  linked: {
    kind: ACCOUNT_KIND,
    action: 'identity_linked',
    type: 'account.identity_linked',
    description: 'A user linked a company account.',
    example: {},
    sentence: (t, { by }) => t.html('eventIdentityLinked', { by }),
    notice: {
      kind: 'identity_linked',
      to: 'user',
      message: () => message('noticeIdentityLinked'),
      path: PEOPLE_PATHS.account,
    },
  },
  unlinked: {
    kind: ACCOUNT_KIND,
    action: 'identity_unlinked',
    type: 'account.identity_unlinked',
    description: 'A user unlinked a company account.',
    example: {},
    sentence: (t, { by }) => t.html('eventIdentityUnlinked', { by }),
  },
  providerChanged: {
    kind: WORKSPACE_KIND,
    action: 'identity_provider_changed',
    type: 'workspace.identity_provider_changed',
    description: 'An owner changed or removed the sign-in with company accounts.',
    example: { name: 'Entra ID' },
    sentence: (t, { by }) => t.html('eventProviderChanged', { by }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
