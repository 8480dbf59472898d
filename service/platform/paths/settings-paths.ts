/** Addresses of the Settings pages. */
export const SETTINGS = {
  root: '/settings',
  signIn: '/settings/sign-in',
  signOut: '/settings/sign-out',
  apps: '/settings/apps',
  developer: '/settings/developer',
  tokens: '/settings/developer/tokens',
  newToken: '/settings/developer/tokens/new',
  newApplication: '/settings/developer/applications/new',
  applications: '/settings/developer/applications',
  application: (clientId: string) => `/settings/developer/applications/${clientId}`,
} as const;
