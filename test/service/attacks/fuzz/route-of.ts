import type { Route } from '../../../../service/kernel/http/router.js';
import { findRoute } from '../../support/service-routes.js';
import type { FuzzRequest } from './fuzz-request.js';

/** Placeholders for more than one segment of a path. */
const PATHS: Readonly<Record<string, string>> = {
  'login.path': '/oauth/interaction/some-id',
  'consent.path': '/oauth/interaction/some-id',
};

/** The route of a request, for any values of its placeholders. */
export function routeOf({ path }: Pick<FuzzRequest, 'path'>): Route | undefined {
  const filled = path.replace(
    /\{\{([\w.]+)\}\}/g,
    (_all, word: string) => PATHS[word] ?? 'some-id',
  );
  return findRoute(filled)?.route;
}
