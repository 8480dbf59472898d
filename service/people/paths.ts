/** Addresses of the pages about people, and of the links that they are given. */
export const PEOPLE = {
  account: '/settings/account',
  people: '/settings/people',
  member: (accountId: string) => `/settings/people/${accountId}`,
  invitations: '/settings/people/invitations',
  newInvitation: '/settings/people/invitations/new',
  invitation: '/invite',
  reset: '/new-password',
} as const;

/** What carries the secret in the address of a link; the query is in no log. */
export const LINK_PARAMETER = 'token';

/** The link that somebody is given. */
export function linkTo(
  baseUrl: string,
  path: typeof PEOPLE.invitation | typeof PEOPLE.reset,
  token: string,
): string {
  return `${baseUrl}${path}?${LINK_PARAMETER}=${token}`;
}

/** The page about the people of a workspace, perhaps saying what was just done. */
export function peopleOf(workspaceId: string, done?: string): string {
  const query = new URLSearchParams({
    workspace: workspaceId,
    ...(done !== undefined && { done }),
  });
  return `${PEOPLE.people}?${query.toString()}`;
}
