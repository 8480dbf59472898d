import { openApiDocument } from '../../../../service/app/openapi.js';
import { SERVICE_ROUTES } from '../../support/service-routes.js';
import type { FuzzRequest } from './fuzz-request.js';
import { get, send } from './request-makers.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: Schema;
  /** The first of them is sampled. */
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
}

/** Words in place of ids, and of the token. */
interface Words {
  readonly id: string;
  readonly film: string;
  readonly project: string;
  readonly share: string;
  readonly comment: string;
  /** Of the link. */
  readonly guest: string;
  readonly token: string;
  /** The placeholder for any text. */
  readonly text?: string;
}

/** The first bytes of a PNG. */
const PNG = '\x89PNG\r\n\x1A\n';

const DAY_MS = 24 * 3_600_000;

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/**
 * Requests for everything that the description of the data API has: each address and method without what may be left
 * out, and once with each parameter that may be given. What is described later comes in by itself. Bytes and tus are
 * left to callers that have more information than the description.
 */
export function apiRequests(words: Words): FuzzRequest[] {
  return Object.entries(openApiDocument(SERVICE_ROUTES).paths).flatMap(([path, item]) => {
    const id = path.startsWith('/api/v1/projects/')
      ? words.project
      : path.startsWith('/api/v1/shares/')
        ? words.share
        : path.startsWith('/api/v1/feedback/')
          ? words.comment
          : path.endsWith('/poster') || path.endsWith('/markers')
            ? words.film
            : path.startsWith('/api/v1/guests/')
              ? words.guest
              : words.id;
    const address = path.replace('{id}', id);
    const operations: Readonly<Record<string, unknown>> = item;
    return METHODS.filter((method) => method in operations).flatMap((method) =>
      requestsOf(method, address, operations[method] as Operation, {
        ...words,
        // Names of projects are taken once.
        text: `Fuzz-${method}`,
      }),
    );
  });
}

function requestsOf(
  method: string,
  address: string,
  { parameters = [], requestBody }: Operation,
  words: Words,
): FuzzRequest[] {
  const isTus = parameters.some((one) => '$ref' in one && one.$ref.endsWith('/TusResumable'));
  if (isTus) {
    return [];
  }
  const named = parameters.filter((one): one is Parameter => 'name' in one);
  const bearer = { Authorization: `Bearer ${words.token}` };
  const schema = requestBody?.content['application/json']?.schema;
  const isPicture = requestBody?.content['image/png'] !== undefined;
  const body = isPicture ? PNG : schema && JSON.stringify(sample(schema, '', words));
  const type = isPicture ? 'image/png' : 'application/json';
  const plain = { ...bearer, ...(body !== undefined && { 'Content-Type': type }) };
  const base =
    method === 'get' ? get(address, {}, plain) : send(method.toUpperCase(), address, plain, body);
  return [
    base,
    ...named.map(({ name, in: place, schema: about }) => {
      const value = String(sample(about, name, words));
      return place === 'query'
        ? { ...base, query: [`${name}=${value}`] }
        : { ...base, headers: [...base.headers, [name, value] as const] };
    }),
  ];
}

/** A value that a schema allows. */
function sample(schema: Schema, name: string, words: Words): unknown {
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first !== undefined) return sample(first, name, words);
  const types = [schema.type ?? 'string'].flat();
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (types.includes('object')) {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, one]) => [key, sample(one, key, words)]),
    );
  }
  if (types.includes('array')) return [sample(schema.items ?? {}, name, words)];
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1;
  if (types.includes('boolean')) return false;
  if (name === 'project') return words.project;
  if (name === 'cover') return words.id;
  if (name === 'link') return words.share;
  if (name === 'email') return 'fuzz@client.example';
  if (name === 'Range') return 'bytes=0-9';
  if (schema.format === 'date') return '2026-11-22';
  if (schema.format === 'date-time') return new Date(Date.now() + 7 * DAY_MS).toISOString();
  return schema.pattern?.endsWith('{64}$') === true ? '0'.repeat(64) : words.text;
}
