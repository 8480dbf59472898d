import { message, type Message, type PlainKey } from '../../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** The sentences without names. */
const SENTENCES: Readonly<Record<string, PlainKey>> = {
  passkey_added: 'noticePasskeyAdded',
  passkey_removed: 'noticePasskeyRemoved',
  authenticator_added: 'noticeAuthenticatorAdded',
  authenticator_removed: 'noticeAuthenticatorRemoved',
  second_factors_removed: 'noticeSecondFactorsRemoved',
  recovery_codes_made: 'noticeRecoveryCodesMade',
  recovery_code_used: 'noticeRecoveryCodeUsed',
  password_changed: 'noticePasswordChanged',
  password_reset: 'noticePasswordChanged',
  identity_linked: 'noticeIdentityLinked',
  email_changed: 'noticeEmailChanged',
};

/**
 * One sentence about what happened.
 * @param show writes a name that the app or its user chose
 * @returns undefined for an unknown kind
 */
export function noticeMessage(
  kind: string,
  about: Readonly<Record<string, unknown>>,
  show: (name: string) => string = (name) => name,
): Message | undefined {
  const text = (name: string): string | undefined => {
    const value = about[name];
    return typeof value === 'string' ? show(value) : undefined;
  };
  const [app = '?', name = '?'] = [text('app'), text('name')];
  switch (kind) {
    case 'app_connected':
      return 'name' in about
        ? message('noticeAppConnectedOn', { app, device: name })
        : message('noticeAppConnected', { app });
    case 'app_number_refused':
      return message('noticeNumberRefused', { app });
    case 'token_made':
      return message('noticeTokenMade', { name });
    case 'signed_in_from_new_browser': {
      const [browser, os] = [text('browser'), text('os')];
      return browser === undefined || os === undefined
        ? message('noticeNewBrowser')
        : message('noticeNewBrowserOn', { browser, os });
    }
    case 'webhook_turned_off':
      return message('noticeWebhookOff', { name });
    default: {
      const sentence = SENTENCES[kind];
      return sentence && message(sentence);
    }
  }
}

/** The advice under a mail with a notice. */
export function noticeAdvice(kind: string): Message {
  switch (kind) {
    case 'webhook_turned_off':
      return message('webhookOffText');
    case 'second_factors_removed':
      return message('mailAdministratorAdvice');
    default:
      return message('mailNoticeAdvice');
  }
}

/** The page on which the user can undo what happened. */
export function noticePath(kind: string): string {
  switch (kind) {
    case 'app_connected':
    case 'app_number_refused':
      return SETTINGS.apps;
    case 'signed_in_from_new_browser':
      return SETTINGS.browsers;
    case 'token_made':
    case 'webhook_turned_off':
      return SETTINGS.developer;
    case 'passkey_added':
    case 'passkey_removed':
    case 'authenticator_added':
    case 'authenticator_removed':
    case 'second_factors_removed':
    case 'recovery_codes_made':
    case 'recovery_code_used':
      return SETTINGS.secondFactors;
    default:
      return PEOPLE_PATHS.account;
  }
}
