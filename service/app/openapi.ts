import { toJsonSchema } from '@valibot/to-json-schema';
import { OPEN, permit } from '../kernel/http/permission.js';
import { sendJson } from '../kernel/http/responses.js';
import type { BufferedRoute, Route } from '../kernel/http/router.js';
import type { ApiDescription } from '../kernel/module.js';
import { modules } from './modules.js';
import common from './openapi.json' with { type: 'json' };

/** Everything but the bodies that routes declare. */
const DESCRIPTION = {
  ...common,
  ...joinDescriptions([common, ...Object.values(modules()).flatMap(({ api }) => api ?? [])]),
};

/**
 * The paths and components of some descriptions, in their order.
 * @throws {Error} for a path or component that two of them have
 */
export function joinDescriptions(
  descriptions: readonly ApiDescription[],
): Required<ApiDescription> {
  const paths: Record<string, Readonly<Record<string, object>>> = {};
  const components: Record<string, Record<string, object>> = {};
  for (const one of descriptions) {
    addNamed(paths, one.paths);
    for (const [kind, named] of Object.entries(one.components ?? {})) {
      addNamed((components[kind] ??= {}), named);
    }
  }
  return { paths, components };
}

function addNamed<T>(all: Record<string, T>, added: Readonly<Record<string, T>>): void {
  for (const [name, value] of Object.entries(added)) {
    if (Object.hasOwn(all, name)) {
      throw new Error(`two features describe ${name} in openapi.json`);
    }
    all[name] = value;
  }
}

/**
 * The description of the data API ([OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)): the `openapi.json` of all features with
 * the JSON bodies of the routes, made from the schemas that check them.
 * @throws {Error} for a body whose path and method no feature describes
 */
export function openApiDocument(routes: readonly Route[]): ApiDescription {
  const paths = { ...DESCRIPTION.paths };
  for (const { path: pattern, bodies = {} } of routes) {
    const path = pattern.replace(':id', '{id}');
    for (const [name, schema] of Object.entries(bodies)) {
      const method = name.toLowerCase();
      const operation = paths[path]?.[method];
      if (operation === undefined) {
        throw new Error(`no openapi.json describes ${name} ${path}`);
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
