import { readFileSync } from 'node:fs';
import { OPEN, permit } from '../../../kernel/http/permission.js';
import { sendJson } from '../../../kernel/http/responses.js';
import type { BufferedRoute } from '../../../kernel/http/router.js';

/** The description of the data API ([OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)). */
const DESCRIPTION: unknown = JSON.parse(
  readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'),
);

/** The route of the description. Everybody may read it, since it holds no data of anybody. */
export const openApiRoute: BufferedRoute = {
  path: '/api/v1/openapi.json',
  kind: 'api',
  handlers: permit(OPEN, {
    GET: ({ response }) => {
      sendJson(response, 200, DESCRIPTION);
      return Promise.resolve();
    },
  }),
};
