import type { AuditAction } from '../../kernel/log.js';

/** Groups of events: owners filter by them, and choose with them what a webhook gets. */
export const EVENT_KINDS = [
  'upload',
  'account',
  'app',
  'member',
  'link',
  'feedback',
  'workspace',
  'webhook',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The type of an event in exports and webhooks: its kind, a dot, and what happened. Never change one. */
export type EventType = `${EventKind}.${string}`;

/** The public type of each action. */
export const EVENT_TYPES: Readonly<Record<AuditAction, EventType>> = {
  signed_in: 'account.signed_in',
  browser_signed_out: 'account.browser_signed_out',
  passkey_added: 'account.passkey_added',
  passkey_removed: 'account.passkey_removed',
  authenticator_added: 'account.authenticator_added',
  authenticator_removed: 'account.authenticator_removed',
  second_factors_removed: 'account.second_factors_removed',
  recovery_codes_made: 'account.recovery_codes_made',
  recovery_code_used: 'account.recovery_code_used',
  email_changed: 'account.email_changed',
  identity_linked: 'account.identity_linked',
  identity_unlinked: 'account.identity_unlinked',
  password_changed: 'account.password_changed',
  password_reset: 'account.password_reset',
  access_ended: 'account.access_ended',
  renamed: 'account.renamed',
  user_added: 'account.added',
  app_connected: 'app.connected',
  app_disconnected: 'app.disconnected',
  app_renamed: 'app.renamed',
  app_number_refused: 'app.number_refused',
  token_made: 'app.token_made',
  token_revoked: 'app.token_revoked',
  invited: 'member.invited',
  invitation_revoked: 'member.invitation_revoked',
  joined: 'member.joined',
  role_changed: 'member.role_changed',
  removed: 'member.removed',
  left: 'member.left',
  link_made: 'link.made',
  link_opened: 'link.opened',
  link_password_refused: 'link.password_refused',
  link_changed: 'link.changed',
  link_revoked: 'link.revoked',
  link_restored: 'link.restored',
  link_expired: 'link.expired',
  feedback_approved: 'feedback.approved',
  feedback_approval_withdrawn: 'feedback.approval_withdrawn',
  feedback_favourite_added: 'feedback.favourite_added',
  feedback_favourite_removed: 'feedback.favourite_removed',
  feedback_comment_created: 'feedback.comment_created',
  feedback_comment_deleted: 'feedback.comment_deleted',
  feedback_guest_removed: 'feedback.guest_removed',
  feedback_guest_restored: 'feedback.guest_restored',
  feedback_left_out: 'feedback.left_out',
  policy_changed: 'workspace.policy_changed',
  identity_provider_changed: 'workspace.identity_provider_changed',
  application_made: 'workspace.application_made',
  application_changed: 'workspace.application_changed',
  application_secret_made: 'workspace.application_secret_made',
  application_deleted: 'workspace.application_deleted',
  webhook_made: 'webhook.made',
  webhook_changed: 'webhook.changed',
  webhook_deleted: 'webhook.deleted',
  webhook_turned_off: 'webhook.turned_off',
};

/** The kind of a type. */
export function kindOf(type: EventType): EventKind {
  return type.slice(0, type.indexOf('.')) as EventKind;
}

/** The actions of a kind; none for `upload`, which is not part of the audit. */
export function actionsOf(kind: EventKind): AuditAction[] {
  const entries = Object.entries(EVENT_TYPES) as [AuditAction, EventType][];
  return entries.filter(([, type]) => kindOf(type) === kind).map(([action]) => action);
}

/** An event as webhooks and exports show it: the envelope of [Standard Webhooks](https://www.standardwebhooks.com/). */
export interface PublicEvent {
  readonly type: EventType;
  /** When it happened, as ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
