import type { Route } from '../../../../service/platform/http/router.js';
import { findRoute } from '../../support/service-routes.js';
import type { FuzzRequest } from './fuzz-request.js';

/** Words that stand for more than one part of a path. */
const PATHS: Readonly<Record<string, string>> = {
  'login.path': '/oauth/interaction/some-id',
  'consent.path': '/oauth/interaction/some-id',
};

/** The line of the service's table to which a request goes, whatever its words stand for. */
export function routeOf({ path }: Pick<FuzzRequest, 'path'>): Route | undefined {
  const filled = path.replace(
    /\{\{([\w.]+)\}\}/g,
    (_all, word: string) => PATHS[word] ?? 'some-id',
  );
  return findRoute(filled)?.route;
}
