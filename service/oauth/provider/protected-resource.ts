import { sendJson } from '../../kernel/http/responses.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import type { Route } from '../../kernel/http/router.js';
import { RESOURCE_METADATA_PATH } from '../../site/addresses/oauth-paths.js';
import { ALL_SCOPES } from '../../identity/index.js';
import { DPOP_ALGORITHMS } from '../tokens/dpop.js';

/** The path of the data API, which is the protected resource. */
const API_PATH = '/api/v1';

/** The address of the metadata that {@link resourceMetadataRoute} answers with. */
export function resourceMetadataUrl(baseUrl: string): string {
  return baseUrl + RESOURCE_METADATA_PATH;
}

/**
 * The route of the metadata of the data API ([RFC 9728 §2](https://www.rfc-editor.org/rfc/rfc9728#section-2)), so that
 * clients can find the authorization server from the address of the data API.
 */
export function resourceMetadataRoute(baseUrl: string): Route {
  const metadata = {
    resource: baseUrl + API_PATH,
    authorization_servers: [baseUrl],
    scopes_supported: ALL_SCOPES,
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    resource_name: 'Creative Workspace',
    resource_documentation: `${baseUrl}${API_PATH}/openapi.json`,
  };
  return {
    path: RESOURCE_METADATA_PATH,
    kind: 'api',
    handlers: permit(OPEN, {
      GET: ({ response }) => {
        sendJson(response, 200, metadata);
        return Promise.resolve();
      },
    }),
  };
}
