/** Addresses of the Settings pages. */
export const SETTINGS = {
  root: '/settings',
  signIn: '/settings/sign-in',
  signOut: '/settings/sign-out',
  apps: '/settings/apps',
  /** Where a user dismisses what they were shown. */
  notices: '/settings/notices',
  /** The browsers in which a user is signed in. */
  browsers: '/settings/account/browsers',
  /** Passkeys, authenticator app and recovery codes of a user. */
  secondFactors: '/settings/account/sign-in',
  authenticator: '/settings/account/sign-in/authenticator',
  /** How users and apps sign in to a workspace. */
  security: '/settings/security',
  secondFactorPolicy: '/settings/security/second-factor',
  personalTokenPolicy: '/settings/security/personal-tokens',
  codeSignIn: '/settings/security/code-sign-in',
  companyAccount: '/settings/security/company-account',
  activity: '/settings/activity',
  activityExport: '/settings/activity/export',
  /** The activity of a user's own account. */
  ownActivity: '/settings/account/activity',
  webhooks: '/settings/developer/webhooks',
  newWebhook: '/settings/developer/webhooks/new',
  webhook: (id: string) => `/settings/developer/webhooks/${id}`,
  developer: '/settings/developer',
  tokens: '/settings/developer/tokens',
  newToken: '/settings/developer/tokens/new',
  newApplication: '/settings/developer/applications/new',
  applications: '/settings/developer/applications',
  application: (clientId: string) => `/settings/developer/applications/${clientId}`,
} as const;

/** The query parameter of the sign-in page that requires the user's own password or passkey. */
export const OWN_SIGN_IN = { name: 'with', value: 'own' } as const;

/** Where a user whom a company signed in confirms with their own password or passkey. @param to the page after it */
export function ownSignIn(to: string): string {
  const query = new URLSearchParams({ to, [OWN_SIGN_IN.name]: OWN_SIGN_IN.value });
  return `${SETTINGS.signIn}?${query.toString()}`;
}
