import { INTERACTION_PATH } from './oauth-paths.js';
import { PEOPLE_PATHS } from './people-paths.js';

/** Paths of the sign-in with a company account. The cookies of a sign-in in progress are sent below `root` only. */
export const COMPANY_PATHS = {
  root: '/sign-in',
  /** The page to enter an address or a domain of a company. */
  find: '/sign-in/company',
  /** Starts the sign-in of one workspace. Owners hand out this link. */
  start: (workspaceId: string) => `/sign-in/company/${workspaceId}`,
  /** Each provider has its own, so that no provider can answer for another. */
  callback: (workspaceId: string) => `/sign-in/company/${workspaceId}/callback`,
  /** The page on which a new company account gets its account here. */
  link: '/sign-in/link',
} as const;

/** The query parameter of the invitation page that starts the sign-in with the company account. */
export const COMPANY_QUERY = { name: 'with', value: 'company' } as const;

/** The longest address of a page to go to: it is kept in a cookie, of which browsers store 4 KiB. */
const MAX_LENGTH = 512;

/**
 * The page to go to after a sign-in. Only pages of this service: links must not redirect to other sites.
 * @returns undefined for any other address.
 */
export function pageAfterSignIn(to: string | null): string | undefined {
  return to !== null &&
    to.length <= MAX_LENGTH &&
    (to === PEOPLE_PATHS.invitation ||
      to === COMPANY_PATHS.link ||
      (to.startsWith(`${INTERACTION_PATH}/`) && /^[\w/-]+$/.test(to)) ||
      /^\/(settings|photos|projects|shares)(\/[\w/-]*)?(\?[\w=&%+.*~-]*)?$/.test(to))
    ? to
    : undefined;
}
