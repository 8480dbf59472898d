import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { object, safeParse } from 'valibot';
import { joinDescriptions, openApiDocument } from '../../../service/app/openapi.js';
import { permit, OPEN } from '../../../service/kernel/http/permission.js';
import type { Route } from '../../../service/kernel/http/router.js';
import type { BodyExamples } from '../support/body-examples.js';
import { foundByName } from '../support/found-by-name.js';
import { SERVICE_ROUTES } from '../support/service-routes.js';

/** Those of all features, by request. */
const BODIES = new Map(
  (await foundByName<BodyExamples>('bodies.ts')).flatMap((one) => Object.entries(one)),
);

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: object }>> };
  readonly security?: readonly { readonly bearer: readonly string[] }[];
}

const DOCUMENT = openApiDocument(SERVICE_ROUTES);

const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...(operation as Operation),
    })),
);

const routeOf = (path: string): Route | undefined =>
  SERVICE_ROUTES.find((one) => one.path.replace(':id', '{id}') === path);

const described = new Map<string, object>(
  OPERATIONS.flatMap(({ path, method, requestBody }) => {
    const body = requestBody?.content['application/json'];
    return body ? [[`${method} ${path}`, body.schema] as const] : [];
  }),
);

describe('the OpenAPI document', () => {
  it('has every address and method below /api/v1, and no other', () => {
    const served = SERVICE_ROUTES.filter(({ path }) => path.startsWith('/api/v1/')).flatMap(
      ({ path, methods }) =>
        methods
          // A HEAD that is only a GET without its body needs no words.
          .filter((method) => method !== 'HEAD' || path === '/api/v1/uploads/:id')
          .map((method) => `${method} ${path.replace(':id', '{id}')}`),
    );
    expect(OPERATIONS.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(served.sort());
  });

  it('names the scopes that the routes require', () => {
    for (const { path, method, security } of OPERATIONS) {
      const { kind, condition } = routeOf(path)?.handlers[method]?.permission ?? {};
      expect([path, kind]).toEqual([path, expect.stringMatching(/^(open|token)$/)]);
      const required = kind === 'open' ? ['none'] : (condition?.match(/\w+:\w+/g) ?? []).sort();
      const named = security?.flatMap(({ bearer }) => bearer).sort() ?? [];
      expect([path, method, security?.length === 0 ? ['none'] : named]).toEqual([
        path,
        method,
        required,
      ]);
    }
  });

  it('has no broken reference, and no component without one', () => {
    const text = JSON.stringify(DOCUMENT);
    const references = [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, to]) => to);
    const { securitySchemes, ...kinds } = DOCUMENT.components ?? {};
    const components = Object.entries(kinds).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect(Object.keys(securitySchemes ?? {})).toEqual(['bearer']);
    expect([...new Set(references)].sort()).toEqual(components.sort());
  });

  it('has each operation under a separate name', () => {
    const names = OPERATIONS.map(({ operationId }) => operationId);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each([
    ['path', { paths: { '/api/v1/two': {} } }],
    ['schema', { paths: {}, components: { schemas: { Two: {} } } }],
  ])('refuses a %s that two features describe', (_kind, one) => {
    expect(() => joinDescriptions([one, one])).toThrow('two features describe');
  });
});

describe('the JSON bodies in the OpenAPI document', () => {
  it('are made from the schemas of routes', () => {
    expect([...described.keys()].sort()).toEqual([...BODIES.keys()].sort());
  });

  it.each([...BODIES])(
    'of %s are those that the service accepts',
    (request, { accepted, refused }) => {
      const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(
        described.get(request) ?? {},
      );
      const [method = '', path = ''] = request.split(' ');
      const schema = routeOf(path)?.bodies?.[method];
      const fits = (body: object) => [validate(body), schema && safeParse(schema, body).success];
      for (const body of accepted) expect([body, ...fits(body)]).toEqual([body, true, true]);
      for (const body of refused) expect([body, ...fits(body)]).toEqual([body, false, false]);
    },
  );

  it('belong to a described request', () => {
    const route: Route = {
      path: '/api/v1/nothing/:id',
      kind: 'api',
      bodies: { POST: object({}) },
      handlers: permit(OPEN, { POST: () => Promise.resolve() }),
    };
    expect(() => openApiDocument([route])).toThrow('POST /api/v1/nothing/{id}');
  });
});
