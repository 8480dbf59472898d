import { readFileSync } from 'node:fs';
import { toJsonSchema } from '@valibot/to-json-schema';
import { OPEN, permit } from '../kernel/http/permission.js';
import { sendJson } from '../kernel/http/responses.js';
import type { BufferedRoute, Route } from '../kernel/http/router.js';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Everything but the bodies that routes declare. */
const DESCRIPTION = JSON.parse(
  readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'),
) as OpenApiDocument;

/**
 * The description of the data API ([OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)): `openapi.json` with the JSON
 * bodies of the routes, made from the schemas that check them.
 * @throws {Error} for a body whose path and method are not in `openapi.json`
 */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths = { ...DESCRIPTION.paths };
  for (const { path: pattern, bodies = {} } of routes) {
    const path = pattern.replace(':id', '{id}');
    for (const [name, schema] of Object.entries(bodies)) {
      const method = name.toLowerCase();
      const operation = paths[path]?.[method];
      if (operation === undefined) {
        throw new Error(`openapi.json does not describe ${name} ${path}`);
      }
      const body = toJsonSchema(schema, { target: 'draft-2020-12' });
      delete body.$schema;
      const requestBody = { required: true, content: { 'application/json': { schema: body } } };
      paths[path] = { ...paths[path], [method]: { ...operation, requestBody } };
    }
  }
  return { ...DESCRIPTION, paths };
}

/** The route of the description of some routes. Everybody may read it, since it holds no data of anybody. */
export function openApiRoute(routes: readonly Route[]): BufferedRoute {
  const description = openApiDocument(routes);
  return {
    path: '/api/v1/openapi.json',
    kind: 'api',
    handlers: permit(OPEN, {
      GET: ({ response }) => {
        sendJson(response, 200, description);
        return Promise.resolve();
      },
    }),
  };
}
