/** Paths of the member pages and of one-time links. */
export const PEOPLE_PATHS = {
  account: '/settings/account',
  /** The e-mail address of a user. */
  email: '/settings/account/email',
  people: '/settings/people',
  visibility: '/settings/people/visibility',
  member: (accountId: string) => `/settings/people/${accountId}`,
  invitations: '/settings/people/invitations',
  newInvitation: '/settings/people/invitations/new',
  invitation: '/invite',
  reset: '/new-password',
  forgotPassword: '/forgot-password',
  confirmEmail: '/confirm-email',
} as const;

/** The pages of one-time links. */
export type LinkPath = (typeof PEOPLE_PATHS)['invitation' | 'reset' | 'confirmEmail'];

/** The query parameter that carries the secret of a link. Queries are never logged. */
export const LINK_PARAMETER = 'token';

/** The URL of a one-time link. */
export function linkTo(baseUrl: string, path: LinkPath, token: string): string {
  return `${baseUrl}${path}?${LINK_PARAMETER}=${token}`;
}

/**
 * The URL of the member list of a workspace.
 * @param flash the completed action for the message on the page, see `Module.flashMessages`.
 */
export function peoplePath(workspaceId: string, flash?: string): string {
  const query = new URLSearchParams({
    workspace: workspaceId,
    ...(flash !== undefined && { flash }),
  });
  return `${PEOPLE_PATHS.people}?${query.toString()}`;
}
