import { message, type Message } from '../../platform/i18n/message.js';
import { PEOPLE_PATHS } from '../../platform/paths/people-paths.js';
import { SETTINGS } from '../../platform/paths/settings-paths.js';

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
  const name = about['app'] ?? about['client'];
  const app = typeof name === 'string' ? show(name) : '?';
  const device = about['deviceName'];
  switch (kind) {
    case 'app_connected':
      return typeof device === 'string'
        ? message('noticeAppConnectedOn', { app, device: show(device) })
        : message('noticeAppConnected', { app });
    case 'number_refused':
      return message('noticeNumberRefused', { app });
    case 'signed_in_from_new_browser':
      return message('noticeNewBrowser');
    case 'passkey_added':
      return message('noticePasskeyAdded');
    case 'authenticator_removed':
      return message('noticeAuthenticatorRemoved');
    case 'recovery_code_used':
      return message('noticeRecoveryCodeUsed');
    case 'password_changed':
      return message('noticePasswordChanged');
    case 'identity_linked':
      return message('noticeIdentityLinked');
    case 'email_changed':
      return message('noticeEmailChanged');
    default:
      return undefined;
  }
}

/** The page on which the user can undo what happened. */
export function noticePath(kind: string): string {
  switch (kind) {
    case 'app_connected':
    case 'number_refused':
      return SETTINGS.apps;
    case 'signed_in_from_new_browser':
      return SETTINGS.browsers;
    default:
      return PEOPLE_PATHS.account;
  }
}
