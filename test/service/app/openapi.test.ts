import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { object, safeParse } from 'valibot';
import { joinDescriptions, openApiDocument } from '../../../service/app/openapi.js';
import { permit, OPEN } from '../../../service/kernel/http/permission.js';
import type { Route } from '../../../service/kernel/http/router.js';
import { SERVICE_ROUTES } from '../support/service-routes.js';

const FILE = { name: 'a.jpg', size: 1 };
const REPORT = {
  device_name: 'Studio',
  waiting: 1,
  waiting_seconds: null,
  state: 'paused',
  reason: null,
};

/** Bodies that their request accepts, and bodies that it refuses. */
const BODIES: readonly (readonly [request: string, accepted: object[], refused: object[]])[] = [
  [
    'PATCH /api/v1/connection',
    [{ device_name: 'Studio' }],
    [{}, { device_name: '' }, { device_name: 'x'.repeat(101) }, { device_name: 'x', more: 1 }],
  ],
  [
    'POST /api/v1/uploads/known',
    [
      { files: [] },
      { files: [{ ...FILE, document: 'd', project: 'p', version_by: 'document', later: 1 }] },
    ],
    [
      {},
      { files: [{ name: 'a' }] },
      { files: [{ ...FILE, size: -1 }] },
      { files: [{ ...FILE, size: 1.5 }] },
      { files: [{ ...FILE, name: 'x'.repeat(256) }] },
      { files: [{ ...FILE, document: '' }] },
      { files: [{ ...FILE, project: 'a b' }] },
      { files: [{ ...FILE, version_by: 'name' }] },
      { files: Array.from({ length: 1001 }, () => FILE) },
    ],
  ],
  [
    'POST /api/v1/photos/status',
    [
      { links: [] },
      { links: [{ id: 'a', sha256: 'a'.repeat(64), document: 'd', later: 1 }, {}], revision: 'r' },
    ],
    [
      {},
      { links: [{ id: 'a b' }] },
      { links: [{ sha256: 'A'.repeat(64) }] },
      { links: [{ document: '' }] },
      { links: [], revision: 'x'.repeat(65) },
      { links: Array.from({ length: 501 }, () => ({})) },
    ],
  ],
  [
    'PUT /api/v1/uploads/{id}/placements',
    [{ placements: [] }, { placements: [{ id: 'a', later: 1 }] }],
    [
      {},
      { placements: [{}] },
      { placements: [{ id: 'a b' }] },
      { placements: Array.from({ length: 501 }, () => ({ id: 'a' })) },
    ],
  ],
  [
    'POST /api/v1/uploads/{id}/project',
    [{ project: 'p' }, { project: null }],
    [{}, { project: 1 }],
  ],
  [
    'POST /api/v1/receipts',
    [{ project: 'p' }, { uploads: ['a', 'b'] }],
    [{}, { uploads: [] }, { uploads: ['a b'] }, { project: 'p', uploads: ['a'] }],
  ],
  [
    'PUT /api/v1/devices/{id}/queue',
    [REPORT, { ...REPORT, waiting_seconds: 5, reason: 'CW-301' }],
    [
      {},
      { ...REPORT, waiting: -1 },
      { ...REPORT, waiting: 1_000_001 },
      { ...REPORT, waiting_seconds: 1.5 },
      { ...REPORT, state: 'idle' },
      { ...REPORT, reason: 'x'.repeat(41) },
      { ...REPORT, reason: 'a b' },
      { ...REPORT, more: 1 },
    ],
  ],
  [
    'POST /api/v1/feedback/{id}/reply',
    [{ text: 'Done' }],
    [{}, { text: 1 }, { text: 'x'.repeat(2001) }, { text: 'Done', more: 1 }],
  ],
  ['POST /api/v1/projects', [{ name: 'Coast' }, { name: 'Coast', more: 1 }], [{}, { name: 1 }]],
  [
    'PATCH /api/v1/projects/{id}',
    [{}, { name: 'Coast', archived: true }],
    [{ name: null }, { archived: 'yes' }],
  ],
  [
    'POST /api/v1/shares',
    [{ project: 'p' }, { uploads: ['a'], days: 7, password: 'long enough', watermark: true }],
    [
      {},
      { project: 'p', uploads: ['a'] },
      { uploads: [] },
      { uploads: Array.from({ length: 1001 }, () => 'a') },
      { project: 'p', days: '7' },
      { project: 'p', more: 1 },
    ],
  ],
  [
    'PATCH /api/v1/shares/{id}',
    [{}, { title: null, cover: null, password: null, expires: '2026-12-24T12:00:00.000Z' }],
    [{ downloads: 'all' }, { watermark: null }, { expires: 1 }, { more: 1 }],
  ],
];

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
    expect([...described.keys()].sort()).toEqual(BODIES.map(([request]) => request).sort());
  });

  it.each(BODIES)('of %s are those that the service accepts', (request, accepted, refused) => {
    const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(
      described.get(request) ?? {},
    );
    const [method = '', path = ''] = request.split(' ');
    const schema = routeOf(path)?.bodies?.[method];
    const fits = (body: object) => [validate(body), schema && safeParse(schema, body).success];
    for (const body of accepted) expect([body, ...fits(body)]).toEqual([body, true, true]);
    for (const body of refused) expect([body, ...fits(body)]).toEqual([body, false, false]);
  });

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
