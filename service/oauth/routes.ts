import type { Provider } from 'oidc-provider';
import { OPEN, permit } from '../kernel/http/permission.js';
import { getAndPost, type BufferedRoute, type Route } from '../kernel/http/router.js';
import type { BufferedContext } from '../kernel/http/request/request-context.js';
import { Interactions, type InteractionDeps } from './interactions/interactions.js';
import { resourceMetadataRoute } from './provider/protected-resource.js';
import { providerFront } from './provider/provider-handler.js';
import { INTERACTION_PATH, METADATA_PATH, ROUTES } from '../site/addresses/oauth-paths.js';

/** oidc-provider authenticates clients and browsers as each endpoint requires. */
const BY_PROVIDER = { ...OPEN, condition: 'open: oidc-provider decides' };

/** An interaction belongs to the browser that has its cookie. */
const OF_INTERACTION = { ...OPEN, condition: "open: the interaction's cookie decides" };

/** The OAuth 2.0 endpoints and pages of oidc-provider, and our sign-in and consent pages. */
export function oauthRoutes(
  deps: InteractionDeps & { readonly provider: Provider; readonly baseUrl: string },
): Route[] {
  const handler = providerFront(deps.provider);
  const interactions = new Interactions(deps);
  const get = permit(BY_PROVIDER, { GET: handler });
  const post = permit(BY_PROVIDER, { POST: handler });
  const interact = permit(
    OF_INTERACTION,
    getAndPost((context: BufferedContext) => interactions.handle(context)),
  );
  const endpoint = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'api',
    handlers,
  });
  const page = (path: string, handlers: BufferedRoute['handlers']): BufferedRoute => ({
    path,
    kind: 'page',
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
    { ...page(`${INTERACTION_PATH}/:id`, interact), repeatsPage: true },
  ];
}
