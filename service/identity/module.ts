import { message } from '../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../site/addresses/people-paths.js';
import { SETTINGS } from '../site/addresses/settings-paths.js';
import { ACCOUNT_EVENTS } from './accounts/events.js';
import { addNoticesOfEvent } from './notices/notices.js';
import { COMPANY_EVENTS } from './company/events.js';
import { INVITATION_EVENTS } from './invitations/events.js';
import { SECOND_FACTOR_EVENTS } from './second-factor/events.js';
import { POLICY_EVENTS } from './security/events.js';
import { DAY_MS, type Module } from '../kernel/module.js';

/** What a deleted session leaves. */
const BROWSERS = `DELETE FROM browser_sessions
  WHERE session_id IN (SELECT id FROM gone WHERE kind = 'Session')`;

/** See `Module.secrets`. */
export const SECRETS = {
  totp: 'The secret of an authenticator app.',
  'identity-provider': 'The client secret at the provider of a company.',
  'company-sign-in': 'The cookie of a sign-in that continues at the provider of a company.',
  newcomer: 'The cookie with the identity of a user of a company who has no account yet.',
};

export const identity: Module = {
  onEvent: addNoticesOfEvent,
  secrets: SECRETS,
  tables: {
    account_identities: 'A user at the identity provider of a company.',
    accounts: 'A user.',
    browser_sessions: 'A browser in which a user is signed in.',
    email_confirmations: 'An address that waits to be confirmed.',
    identity_providers: 'The OpenID provider of a workspace.',
    invitations: 'An open invitation to a workspace.',
    notices: 'What a user is shown once, on the next page and by mail.',
    oidc_records: 'A session, sign-in, device code, grant or token, as oidc-provider stores it.',
    outgoing_mail: 'A mail that is to be sent.',
    passkeys: 'A passkey of a user.',
    password_resets: 'An open link for a new password.',
    personal_access_tokens: 'A token that a user made for a script.',
    recovery_codes: 'A code in place of a second factor.',
    totp_secrets: 'The authenticator app of a user.',
    workspace_members: 'The membership of a user in a workspace.',
    workspaces: 'A workspace.',
  },
  expiring: [
    {
      table: 'oidc_records',
      by: 'expires_at',
      kinds: `kind IN ('Session', 'Interaction')`,
      keptMs: 0,
      with: BROWSERS,
    },
    { table: 'personal_access_tokens', by: 'expires_at', keptMs: DAY_MS },
    { table: 'invitations', by: 'expires_at', keptMs: 0 },
    { table: 'password_resets', by: 'expires_at', keptMs: 0 },
    { table: 'email_confirmations', by: 'expires_at', keptMs: 0 },
    // Nobody sends these any more: the setting was removed.
    { table: 'outgoing_mail', by: 'due_at', keptMs: DAY_MS },
    { table: 'notices', by: 'created_at', keptMs: 90 * DAY_MS },
  ],
  events: [
    ...Object.values(ACCOUNT_EVENTS),
    ...Object.values(SECOND_FACTOR_EVENTS),
    ...Object.values(INVITATION_EVENTS),
    ...Object.values(COMPANY_EVENTS),
    ...Object.values(POLICY_EVENTS),
  ],
  menu: [
    {
      section: 'account',
      menu: 'settings',
      position: 10,
      path: PEOPLE_PATHS.account,
      label: 'account',
    },
    {
      section: 'security',
      menu: 'settings',
      position: 40,
      path: SETTINGS.security,
      label: 'security',
      isForOwners: true,
      isOfWorkspace: true,
    },
  ],
  flashMessages: {
    browserSignedOut: message('browserSignedOut'),
    othersSignedOut: message('othersSignedOut'),
    passwordChanged: message('passwordChanged'),
    passkeyAdded: message('passkeyAdded'),
    passkeyRemoved: message('passkeyRemoved'),
    authenticatorRemoved: message('authenticatorRemoved'),
    emailLinkSent: message('emailLinkSent'),
    emailRemoved: message('emailRemoved'),
    joined: message('joined'),
    companyLinked: message('companyLinked'),
    companyUnlinked: message('companyUnlinked'),
    companyRemoved: message('companyRemoved'),
  },
};
