import type { Denial } from '../../site/error-pages.js';

/**
 * Why a request ends with `access_denied`, as the app reads it in `error_description`
 * ([RFC 6749 §4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1) and §5.2: for its developers,
 * in ASCII).
 */
export const DENIED_BY_USER = 'the user denied the request';

/** The user had no workspace that the app could use, and ended the request so that the app stops waiting. */
export const DENIED_WITHOUT_WORKSPACE = 'the user has no workspace for this app';

/** The policy of the workspace, or of the operator, refuses the sign-in with a code. */
export const DENIED_BY_POLICY = 'the policy of the workspace does not allow this sign-in';

/** The user chose another number in the app than the browser showed, or cancelled on that page. */
export const DENIED_BY_NUMBER = 'another number was chosen in the app';

/** The member `reason` beside `access_denied` in the answer to a poll, by the description; undefined for a denial. */
export function denialReason(description: string | undefined): string | undefined {
  if (description === DENIED_BY_NUMBER) {
    return 'wrong_number';
  }
  return description === DENIED_BY_POLICY ? 'not_allowed' : undefined;
}

/** Why a request was denied, by the description. */
export function denialOf(description: unknown): Denial {
  switch (description) {
    case DENIED_WITHOUT_WORKSPACE:
      return 'workspace';
    case DENIED_BY_POLICY:
      return 'policy';
    case DENIED_BY_NUMBER:
      return 'number';
    default:
      return 'user';
  }
}
