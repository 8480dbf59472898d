import type { StoredEvent } from '../../identity/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { AuditAction } from '../../kernel/log.js';

/** The values of a sentence, as markup. */
interface Parts {
  /** The user who acted. */
  readonly by: Html;
  /** The user who was affected. */
  readonly user: Html;
  readonly app: Html;
  /** The name of a computer, a passkey, an address or the like; undefined if it is not known. */
  readonly name: Html | undefined;
  /** The name of a guest. */
  readonly guest: Html;
  readonly role: Html;
  /** How a user signed in; empty if it is not known. */
  readonly method: string;
  /** The setting that was changed; empty if it is not known. */
  readonly setting: string;
  /** Whether the operator of the service acted: no user did. */
  readonly isByOperator: boolean;
}

type Sentence = (translator: Translator, parts: Parts) => Html;

const SIGNED_IN: Readonly<Record<string, SignedInKey>> = {
  password: 'eventSignedInPassword',
  password_and_code: 'eventSignedInCode',
  password_and_recovery_code: 'eventSignedInRecovery',
  passkey: 'eventSignedInPasskey',
  company: 'eventSignedInCompany',
};
type SignedInKey = `eventSignedIn${'Password' | 'Code' | 'Recovery' | 'Passkey' | 'Company'}`;

/** What happened, as one sentence. */
const SENTENCES: Readonly<Record<AuditAction, Sentence>> = {
  signed_in: (t, { by, method }) => t.html(SIGNED_IN[method] ?? 'eventSignedIn', { by }),
  browser_signed_out: (t, { by }) => t.html('eventBrowserSignedOut', { by }),
  passkey_added: (t, { by }) => t.html('eventPasskeyAdded', { by }),
  passkey_removed: (t, { by }) => t.html('eventPasskeyRemoved', { by }),
  authenticator_added: (t, { by }) => t.html('eventAuthenticatorAdded', { by }),
  authenticator_removed: (t, { user }) => t.html('eventAuthenticatorRemoved', { user }),
  second_factors_removed: (t, { by, user }) => t.html('eventSecondFactorsRemoved', { by, user }),
  recovery_codes_made: (t, { by }) => t.html('eventRecoveryCodesMade', { by }),
  recovery_code_used: (t, { by }) => t.html('eventRecoveryCodeUsed', { by }),
  email_changed: (t, { by }) => t.html('eventEmailChanged', { by }),
  identity_linked: (t, { by }) => t.html('eventIdentityLinked', { by }),
  identity_unlinked: (t, { by }) => t.html('eventIdentityUnlinked', { by }),
  password_changed: (t, { by }) => t.html('eventPasswordChanged', { by }),
  password_reset: (t, { by, user, isByOperator }) =>
    isByOperator
      ? t.html('eventPasswordSet', { by, user })
      : t.html('eventPasswordReset', { user }),
  access_ended: (t, { by, user }) => t.html('eventAccessEnded', { by, user }),
  renamed: (t, { by }) => t.html('eventRenamed', { by }),
  user_added: (t, { by, user, isByOperator }) =>
    isByOperator ? t.html('eventAccountAdded', { by, user }) : t.html('eventUserAdded', { user }),
  app_connected: (t, { by, app, name }) =>
    name === undefined
      ? t.html('eventAppConnected', { by, app })
      : t.html('eventAppConnectedOn', { by, app, name }),
  app_disconnected: (t, { by, app, name }) =>
    name === undefined
      ? t.html('eventAppDisconnected', { by, app })
      : t.html('eventAppDisconnectedOn', { by, app, name }),
  app_renamed: (t, { by, name = html`?` }) => t.html('eventAppRenamed', { by, name }),
  app_number_refused: (t, { user: by, app }) => t.html('eventAppNumberRefused', { by, app }),
  token_made: (t, { by, name = html`?` }) => t.html('eventTokenMade', { by, name }),
  token_revoked: (t, { by, name = html`?` }) => t.html('eventTokenRevoked', { by, name }),
  invited: (t, { by, role }) => t.html('eventInvited', { by, role }),
  invitation_revoked: (t, { by }) => t.html('eventInvitationRevoked', { by }),
  joined: (t, { user: by, role }) => t.html('eventJoined', { by, role }),
  role_changed: (t, { by, user, role }) => t.html('eventRoleChanged', { by, user, role }),
  removed: (t, { by, user }) => t.html('eventRemoved', { by, user }),
  left: (t, { by }) => t.html('eventLeft', { by }),
  link_made: (t, { by }) => t.html('eventLinkMade', { by }),
  link_opened: (t) => t.html('eventLinkOpened'),
  link_password_refused: (t) => t.html('eventLinkPasswordRefused'),
  link_changed: (t, { by }) => t.html('eventLinkChanged', { by }),
  link_revoked: (t, { by }) => t.html('eventLinkRevoked', { by }),
  link_restored: (t, { by }) => t.html('eventLinkRestored', { by }),
  link_expired: (t) => t.html('eventLinkExpired'),
  feedback_approved: (t, { guest }) => t.html('eventFeedbackApproved', { guest }),
  feedback_approval_withdrawn: (t, { guest }) => t.html('eventApprovalWithdrawn', { guest }),
  feedback_favourite_added: (t, { guest }) => t.html('eventFavouriteAdded', { guest }),
  feedback_favourite_removed: (t, { guest }) => t.html('eventFavouriteRemoved', { guest }),
  feedback_comment_created: (t, { guest }) => t.html('eventCommentCreated', { guest }),
  feedback_comment_deleted: (t, { by, guest, isByOperator }) =>
    isByOperator
      ? t.html('eventCommentDeleted', { guest })
      : t.html('eventCommentDeletedBy', { by, guest }),
  feedback_guest_removed: (t, { by }) => t.html('eventGuestRemoved', { by }),
  feedback_guest_restored: (t, { by }) => t.html('eventGuestRestored', { by }),
  feedback_left_out: (t) => t.html('eventFeedbackLeftOut'),
  policy_changed: (t, { by, setting }) =>
    t.html(setting === 'visibility' ? 'eventVisibilityChanged' : 'eventPolicyChanged', { by }),
  identity_provider_changed: (t, { by }) => t.html('eventProviderChanged', { by }),
  application_made: (t, { by, name = html`?` }) => t.html('eventApplicationMade', { by, name }),
  application_changed: (t, { by, name = html`?` }) =>
    t.html('eventApplicationChanged', { by, name }),
  application_secret_made: (t, { by, name = html`?` }) =>
    t.html('eventApplicationSecretMade', { by, name }),
  application_deleted: (t, { by, name = html`?` }) =>
    t.html('eventApplicationDeleted', { by, name }),
  webhook_made: (t, { by, name = html`?` }) => t.html('eventWebhookMade', { by, name }),
  webhook_changed: (t, { by, name = html`?` }) => t.html('eventWebhookChanged', { by, name }),
  webhook_deleted: (t, { by, name = html`?` }) => t.html('eventWebhookDeleted', { by, name }),
  webhook_turned_off: (t, { name = html`?` }) => t.html('eventWebhookOff', { name }),
};

/** What happened, in one sentence. Names are those of today, so that a user is recognized. */
export function eventSentence(translator: Translator, event: StoredEvent): Html {
  const { action, about, by, user } = event;
  const { app, client, name, role, method = '', setting = '' } = about;
  const nameOf = (person: StoredEvent['by']): Html =>
    person?.name === undefined
      ? html`${translator.t(person === undefined ? 'eventAdministrator' : 'eventDeletedUser')}`
      : verbatim(person.name);
  return SENTENCES[action](translator, {
    by: nameOf(by),
    user: nameOf(user),
    app: verbatim(String(app ?? client ?? translator.t('eventSomeApp'))),
    name: name === undefined ? undefined : verbatim(String(name)),
    guest: verbatim(String(name ?? translator.t('eventSomeGuest'))),
    role: html`${translator.t(role === 'owner' ? 'roleOwner' : 'roleMember')}`,
    method: String(method),
    setting: String(setting),
    isByOperator: by === undefined,
  });
}
