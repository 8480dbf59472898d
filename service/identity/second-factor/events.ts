import type { EventDeclaration } from '../../kernel/events/event.js';
import { message } from '../../kernel/i18n/message.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { ACCOUNT_KIND } from '../accounts/events.js';

/** The events of second factors and passkeys. */
export const SECOND_FACTOR_EVENTS = {
  passkeyAdded: {
    kind: ACCOUNT_KIND,
    action: 'passkey_added',
    type: 'account.passkey_added',
    description: 'A user added a passkey.',
    example: { name: 'MacBook' },
    sentence: (t, { by }) => t.html('eventPasskeyAdded', { by }),
    notice: {
      kind: 'passkey_added',
      to: 'user',
      message: () => message('noticePasskeyAdded'),
      path: SETTINGS.secondFactors,
    },
  },
  passkeyRemoved: {
    kind: ACCOUNT_KIND,
    action: 'passkey_removed',
    type: 'account.passkey_removed',
    description: 'A user removed a passkey.',
    example: { name: 'MacBook' },
    sentence: (t, { by }) => t.html('eventPasskeyRemoved', { by }),
    notice: {
      kind: 'passkey_removed',
      to: 'user',
      message: () => message('noticePasskeyRemoved'),
      path: SETTINGS.secondFactors,
    },
  },
  authenticatorAdded: {
    kind: ACCOUNT_KIND,
    action: 'authenticator_added',
    type: 'account.authenticator_added',
    description: 'A user set up an authenticator app.',
    example: {},
    sentence: (t, { by }) => t.html('eventAuthenticatorAdded', { by }),
    notice: {
      kind: 'authenticator_added',
      to: 'user',
      message: () => message('noticeAuthenticatorAdded'),
      path: SETTINGS.secondFactors,
    },
  },
  authenticatorRemoved: {
    kind: ACCOUNT_KIND,
    action: 'authenticator_removed',
    type: 'account.authenticator_removed',
    description: 'A user removed the authenticator app.',
    example: {},
    sentence: (t, { user }) => t.html('eventAuthenticatorRemoved', { user }),
    notice: {
      kind: 'authenticator_removed',
      to: 'user',
      message: () => message('noticeAuthenticatorRemoved'),
      path: SETTINGS.secondFactors,
    },
  },
  removed: {
    kind: ACCOUNT_KIND,
    action: 'second_factors_removed',
    type: 'account.second_factors_removed',
    description: 'The operator removed the second factors and passkeys of a user.',
    example: {},
    sentence: (t, { by, user }) => t.html('eventSecondFactorsRemoved', { by, user }),
    notice: {
      kind: 'second_factors_removed',
      to: 'user',
      message: () => message('noticeSecondFactorsRemoved'),
      path: SETTINGS.secondFactors,
      advice: 'mailAdministratorAdvice',
    },
  },
  recoveryCodesMade: {
    kind: ACCOUNT_KIND,
    action: 'recovery_codes_made',
    type: 'account.recovery_codes_made',
    description: 'A user created new recovery codes.',
    example: {},
    sentence: (t, { by }) => t.html('eventRecoveryCodesMade', { by }),
    notice: {
      kind: 'recovery_codes_made',
      to: 'user',
      message: () => message('noticeRecoveryCodesMade'),
      path: SETTINGS.secondFactors,
    },
  },
  recoveryCodeUsed: {
    kind: ACCOUNT_KIND,
    action: 'recovery_code_used',
    type: 'account.recovery_code_used',
    description: 'A recovery code was used up.',
    example: {},
    sentence: (t, { by }) => t.html('eventRecoveryCodeUsed', { by }),
    notice: {
      kind: 'recovery_code_used',
      to: 'user',
      message: () => message('noticeRecoveryCodeUsed'),
      path: SETTINGS.secondFactors,
    },
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
