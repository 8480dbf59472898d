import { INTERACTION_PATH, ROUTES } from '../site/addresses/oauth-paths.js';
import { isShareUrl, SHARES } from '../site/addresses/share-paths.js';

/**
 * A path as it may be in the log: placeholders replace the identifiers of sign-ins and the tokens of links. The path
 * need not be that of a route.
 */
export function redactPath(path: string): string {
  if (isShareUrl(path)) {
    return SHARES.shared(':token');
  }
  for (const parent of [INTERACTION_PATH, ROUTES.code_verification, ROUTES.authorization]) {
    if (path.startsWith(`${parent}/`)) {
      return `${parent}/:uid`;
    }
  }
  return path;
}
