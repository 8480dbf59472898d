/**
 * Why a request ends with `access_denied`, as the app reads it in `error_description`
 * ([RFC 6749 §4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1) and §5.2: for its developers,
 * in ASCII).
 */
export const DENIED_BY_USER = 'the user denied the request';

/** The user had no workspace that the app could use, and ended the request so that the app stops waiting. */
export const DENIED_WITHOUT_WORKSPACE = 'the user has no workspace for this app';

/** Whether the result of an interaction is a {@link DENIED_WITHOUT_WORKSPACE}. */
export function lacksWorkspace(result: Readonly<Record<string, unknown>> | undefined): boolean {
  return result?.['error_description'] === DENIED_WITHOUT_WORKSPACE;
}
