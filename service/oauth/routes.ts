import type { Provider } from 'oidc-provider';
import {
  getAndPost,
  type BufferedHandler,
  type BufferedRoute,
  type Route,
} from '../platform/http/router.js';
import { Interactions, type InteractionDeps } from './interactions/interactions.js';
import { resourceMetadataRoute } from './provider/protected-resource.js';
import { providerFront } from './provider/provider-handler.js';
import { INTERACTION_PATH, METADATA_PATH, ROUTES } from '../platform/paths/oauth-paths.js';

/** The OAuth 2.0 endpoints and pages of oidc-provider, and our sign-in and consent pages. */
export function oauthRoutes(
  deps: InteractionDeps & { readonly provider: Provider; readonly baseUrl: string },
): Route[] {
  const handler = providerFront(deps.provider);
  const interactions = new Interactions(deps);
  const interact: BufferedHandler = (context) => interactions.handle(context);
  const get = { GET: handler };
  const post = { POST: handler };
  const endpoint = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'api',
    auth: 'none',
    handlers,
  });
  const page = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'page',
    auth: 'none',
    handlers,
  });
  return [
    endpoint(METADATA_PATH, get),
    resourceMetadataRoute(deps.baseUrl),
    endpoint(ROUTES.jwks, get),
    endpoint(ROUTES.token, post),
    endpoint(ROUTES.device_authorization, post),
    endpoint(ROUTES.revocation, post),
    endpoint(ROUTES.introspection, post),
    {
      ...page(ROUTES.code_verification, { ...get, ...post }),
      repeatsPage: true,
      takesUiLocales: true,
    },
    page(`${ROUTES.code_verification}/:id`, get),
    { ...page(ROUTES.authorization, get), takesUiLocales: true },
    page(`${ROUTES.authorization}/:id`, get),
    { ...page(`${INTERACTION_PATH}/:id`, getAndPost(interact)), repeatsPage: true },
  ];
}
