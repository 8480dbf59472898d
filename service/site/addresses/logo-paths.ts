/** Paths of the logos of workspaces. */
export const LOGOS = {
  /** Where an owner sets the logo. */
  setting: '/settings/people/logo',
  logo: (version: string) => `/logos/${version}`,
} as const;
