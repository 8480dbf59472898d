/** People: accounts, passwords, sessions, second factors, company sign-in, invitations, mail. Other modules import from this file only. */
export { identity } from './module.js';
export { startIdentity, type Identity, type Issuing } from './start.js';
export {
  CODE_SIGN_INS,
  CODE_SIGN_IN_APPS,
  codeSignInPolicies,
  decideCodeSignIn,
  type CodeRefusal,
  type CodeSignInPolicy,
} from './access/code-sign-in.js';
export { endGrant, endGrantsOfClient, lockGrant } from './access/grants.js';
export { Members, giveRole, lockWorkspace, type Member } from './access/members.js';
export { revokeAccess, revokeMembership } from './access/revoke-access.js';
export {
  Accounts,
  createAccount,
  createWorkspace,
  eventUsers,
  setMembersSeeAll,
  setPassword,
  workspaceIdsOf,
  type Account,
  type Membership,
  type Role,
  type Workspace,
} from './accounts/accounts.js';
export { ACCOUNT_EVENTS } from './accounts/events.js';
export { type Audit, type AuditAbout } from './accounts/audit.js';
export { confusableSkeleton } from './accounts/confusables.js';
export { MAX_NAME_LENGTH, usernameProblem, validateName } from './accounts/names.js';
export { DEMO_ACCOUNT, seedDemoAccount, type DemoAccount } from './accounts/demo.js';
export {
  PERSONAL_TOKEN_DAYS,
  PERSONAL_TOKEN_PREFIX,
  PersonalTokens,
  TOKEN_HOLDS,
  personalTokenEntryProblem,
  tokenRefusal,
  type PersonalToken,
} from './accounts/personal-access-tokens.js';
export {
  CAN_SEE_ALL,
  canEdit,
  canSeeAll,
  canView,
  editableBy,
  visibilityOf,
  type Visibility,
} from './accounts/photo-policy.js';
export { ROLE_WORDS } from './accounts/role-words.js';
export { nameBrowser } from './browsers/browser-name.js';
export { touchBrowserSession } from './browsers/signed-in-browsers.js';
export { IdentityProviders } from './company/identity-providers.js';
export { blocksCookies, deviceFormToken, ensureCsrfCookie } from './csrf/csrf-cookie.js';
export { CsrfTokens } from './csrf/csrf.js';
export { SECOND_FACTOR_EVENTS } from './second-factor/events.js';
export { INVITATION_EVENTS, MEMBER_KIND, roleIn } from './invitations/events.js';
export { POLICY_EVENTS, WORKSPACE_KIND } from './security/events.js';
export {
  INVITATION_DAYS,
  Invitations,
  MAX_INVITATIONS,
  type Invitation,
} from './invitations/invitations.js';
export { queueMail } from './mail/outgoing-mail.js';
export { dismissNotices, recordNewBrowser } from './notices/notices.js';
export { signedInAs } from './pages/signed-in-as.js';
export { PasswordChanges } from './passwords/password-changes.js';
export {
  PasswordCheck,
  unauthenticatedRules,
  type PasswordProblem,
} from './passwords/password-check.js';
export { forgottenPassword, type PasswordHelp } from './passwords/password-help.js';
export { ALL_SCOPES, API_RESOURCE, TOLERATED_SCOPE, apiScopes, type Scope } from './scopes.js';
export { AuthenticatorApps, removeAuthenticatorApp } from './second-factor/authenticator-apps.js';
export { codeForm } from './second-factor/code-form.js';
export { passkeyForm } from './second-factor/passkey-form.js';
export { removePasskeys } from './second-factor/passkeys.js';
export { PasswordProofs } from './second-factor/password-proof.js';
export {
  METHODS,
  SECOND_FACTOR_SECONDS,
  isRecent,
  isWithin,
  mustSignInAgain,
} from './second-factor/recent-sign-in.js';
export { removeRecoveryCodes } from './second-factor/recovery-codes.js';
export {
  SecondFactor,
  workspaceNeedsSecondFactor,
  type FactorProblem,
} from './second-factor/second-factor.js';
export type {
  AuthenticatedRequest,
  OpenPageHandler,
  PageHandler,
} from './session/authenticated-request.js';
export {
  ENDED_BY_OWNER,
  ENDED_INTERACTION,
  ENDED_SESSION,
  companyOf,
  endBrowserSessionsOf,
  holdLink,
  openBrowserSession,
  opensAccount,
  SESSION_SECONDS,
} from './session/browser-session.js';
export { noWorkspaceYetPage } from './session/no-workspace-page.js';
export { epochSeconds, isExpired, isStored, type RecordRow } from './session/oidc-record.js';
export { renderShell, type PageShell } from './session/page-shell.js';
export { SESSION_COMPANY, reachOf, type Reach } from './session/reach.js';
export { SessionGuard, isAboutPhotos, type ScriptSender } from './session/session-guard.js';
export {
  deleteAccountRow,
  leaveAllWorkspaces,
  lockAccount,
  namesWithoutOwner,
} from './access/end-account.js';
export { queueUserMail } from './mail/outgoing-mail.js';
