import type { EventDeclaration, EventKind, NoticeDeclaration } from '../../kernel/events/event.js';
import { message } from '../../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

export const ACCOUNT_KIND: EventKind = {
  name: 'account',
  label: 'kindAccount',
  audience: 'account',
};

const PASSWORD_CHANGED = {
  to: 'user',
  message: () => message('noticePasswordChanged'),
  path: PEOPLE_PATHS.account,
} as const;

const SIGNED_IN: Readonly<Record<string, SignedInKey>> = {
  password: 'eventSignedInPassword',
  password_and_code: 'eventSignedInCode',
  password_and_recovery_code: 'eventSignedInRecovery',
  passkey: 'eventSignedInPasskey',
  company: 'eventSignedInCompany',
};
type SignedInKey = `eventSignedIn${'Password' | 'Code' | 'Recovery' | 'Passkey' | 'Company'}`;

/** The events of accounts, their passwords and their browsers. */
export const ACCOUNT_EVENTS = {
  signedIn: {
    kind: ACCOUNT_KIND,
    action: 'signed_in',
    type: 'account.signed_in',
    description: 'A user signed in in a browser.',
    example: { method: 'password_and_code' },
    sentence: (t, { by, about }) =>
      t.html(SIGNED_IN[String(about['method'])] ?? 'eventSignedIn', { by }),
  },
  browserSignedOut: {
    kind: ACCOUNT_KIND,
    action: 'browser_signed_out',
    type: 'account.browser_signed_out',
    description: 'A user signed out other browsers.',
    example: { name: 'Firefox', os: 'macOS' },
    sentence: (t, { by }) => t.html('eventBrowserSignedOut', { by }),
  },
  emailChanged: {
    kind: ACCOUNT_KIND,
    action: 'email_changed',
    type: 'account.email_changed',
    description: 'The e-mail address of an account was confirmed or removed.',
    example: {},
    sentence: (t, { by }) => t.html('eventEmailChanged', { by }),
  },
  passwordChanged: {
    kind: ACCOUNT_KIND,
    action: 'password_changed',
    type: 'account.password_changed',
    description: 'A user changed their password.',
    example: {},
    sentence: (t, { by }) => t.html('eventPasswordChanged', { by }),
    notice: { kind: 'password_changed', ...PASSWORD_CHANGED },
  },
  passwordReset: {
    kind: ACCOUNT_KIND,
    action: 'password_reset',
    type: 'account.password_reset',
    description: 'A password was set with a link, or by the operator.',
    example: {},
    sentence: (t, { by, user, isBySystem }) =>
      isBySystem
        ? t.html('eventPasswordSet', { by, user })
        : t.html('eventPasswordReset', { user }),
    notice: { kind: 'password_reset', ...PASSWORD_CHANGED },
  },
  accessEnded: {
    kind: ACCOUNT_KIND,
    action: 'access_ended',
    type: 'account.access_ended',
    description: 'The operator ended all browser sessions, apps and tokens of a user.',
    example: {},
    sentence: (t, { by, user }) => t.html('eventAccessEnded', { by, user }),
  },
  renamed: {
    kind: ACCOUNT_KIND,
    action: 'renamed',
    type: 'account.renamed',
    description: 'A user changed their name.',
    example: {},
    sentence: (t, { by }) => t.html('eventRenamed', { by }),
  },
  added: {
    kind: ACCOUNT_KIND,
    action: 'user_added',
    type: 'account.added',
    description: 'An account was created.',
    example: { method: 'company' },
    sentence: (t, { by, user, isBySystem }) =>
      isBySystem ? t.html('eventAccountAdded', { by, user }) : t.html('eventUserAdded', { user }),
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;

/** A password opened the account in a browser in which its user had never entered it. */
export const NEW_BROWSER_NOTICE = {
  kind: 'signed_in_from_new_browser',
  message: (text) => {
    const [browser, os] = [text('browser'), text('os')];
    return browser === undefined || os === undefined
      ? message('noticeNewBrowser')
      : message('noticeNewBrowserOn', { browser, os });
  },
  path: SETTINGS.browsers,
} as const satisfies NoticeDeclaration;

/** Another address replaced that of the account; the first address is no notice. */
export const EMAIL_CHANGED_NOTICE = {
  kind: 'email_changed',
  message: () => message('noticeEmailChanged'),
  path: PEOPLE_PATHS.account,
} as const satisfies NoticeDeclaration;
