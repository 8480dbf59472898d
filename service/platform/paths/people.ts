/** Paths of the pages about people, and of the links that people are given. */
export const PEOPLE_PATHS = {
  account: '/settings/account',
  people: '/settings/people',
  member: (accountId: string) => `/settings/people/${accountId}`,
  invitations: '/settings/people/invitations',
  newInvitation: '/settings/people/invitations/new',
  invitation: '/invite',
  reset: '/new-password',
} as const;

/** The query parameter that carries the secret of a link. Queries are never logged. */
export const LINK_PARAMETER = 'token';

/** The link that somebody is given. */
export function linkTo(
  baseUrl: string,
  path: typeof PEOPLE_PATHS.invitation | typeof PEOPLE_PATHS.reset,
  token: string,
): string {
  return `${baseUrl}${path}?${LINK_PARAMETER}=${token}`;
}

/**
 * The address of the page about the people of a workspace.
 * @param done what was just done, see `DONE` in session-guard.ts; the page says so.
 */
export function peoplePath(workspaceId: string, done?: string): string {
  const query = new URLSearchParams({
    workspace: workspaceId,
    ...(done !== undefined && { done }),
  });
  return `${PEOPLE_PATHS.people}?${query.toString()}`;
}
