import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  OPEN,
  permit,
  type Endpoint,
  type Permission,
} from '../../../../service/kernel/http/permission.js';
import { sendError, sendJson } from '../../../../service/kernel/http/responses.js';
import type { BufferedContext } from '../../../../service/kernel/http/request/request-context.js';
import type { Route } from '../../../../service/kernel/http/router.js';
import { serveRoutes, type RouteServer } from '../../support/route-server.js';

interface Caller {
  readonly name: string;
}

const calls: string[] = [];

/** Lets a caller pass who gives a name. */
const NAMED: Permission<Caller> = {
  kind: 'token',
  condition: 'a name',
  authorize: ({ request, response }) => {
    calls.push('permission');
    const name = request.headers['x-name']?.toString();
    if (name === undefined) sendError(response, 401, 'invalid_token', 'a name is required');
    return Promise.resolve(name === undefined ? undefined : { name });
  },
};

/** A handler that forgets to ask who calls. */
const forgetful = ({ response }: BufferedContext): Promise<void> => {
  calls.push('handler');
  sendJson(response, 200, {});
  return Promise.resolve();
};

const greet = ({ response }: BufferedContext, { name }: Caller): Promise<void> => {
  sendJson(response, 200, { name });
  return Promise.resolve();
};

const ROUTES: readonly Route[] = [
  { path: '/api/open', kind: 'api', handlers: permit(OPEN, { GET: forgetful }) },
  {
    path: '/api/forgetful',
    kind: 'api',
    maxBodyBytes: 8,
    handlers: permit(NAMED, { GET: forgetful, POST: forgetful }),
  },
  { path: '/api/upload', kind: 'upload', handlers: permit(NAMED, { POST: forgetful as never }) },
  { path: '/api/greeting', kind: 'api', handlers: permit(NAMED, { GET: greet }) },
];

describe('a permission', () => {
  let server: RouteServer;

  beforeAll(async () => {
    server = await serveRoutes(ROUTES);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    calls.length = 0;
  });

  it.each([
    ['no caller', 'GET', '/api/forgetful', {}, 401, ['permission']],
    ['no caller, as HEAD', 'HEAD', '/api/forgetful', {}, 401, ['permission']],
    ['no caller and a body', 'POST', '/api/forgetful', { body: 'small' }, 401, ['permission']],
    ['no caller and a stream', 'POST', '/api/upload', { body: 'small' }, 401, ['permission']],
    ['a method of no handler', 'DELETE', '/api/forgetful', {}, 405, []],
    ['a preflight', 'OPTIONS', '/api/forgetful', {}, 204, []],
    ['a body over the limit', 'POST', '/api/forgetful', { body: 'too large' }, 413, []],
    ['an unknown path', 'GET', '/api/unknown', {}, 404, []],
    ['nothing', 'GET', '/api/open', {}, 200, ['handler']],
    ['a caller', 'GET', '/api/forgetful', { name: 'Ada' }, 200, ['permission', 'handler']],
  ] as const)(
    'is checked after method and body, and before the handler: %s',
    async (_what, method, path, sent: { name?: string; body?: string }, status, expected) => {
      const { name, body } = sent;
      const answer = await fetch(server.baseUrl + path, {
        method,
        ...(name !== undefined && { headers: { 'X-Name': name } }),
        ...(body !== undefined && { body }),
      });
      expect([answer.status, calls]).toEqual([status, expected]);
    },
  );

  it('passes the caller that it finds to the handler', async () => {
    const answer = await fetch(`${server.baseUrl}/api/greeting`, { headers: { 'X-Name': 'Ada' } });
    expect(await answer.json()).toEqual({ name: 'Ada' });
  });

  it('is required by the compiler', () => {
    // @ts-expect-error -- an open route has no caller for this handler
    permit(OPEN, { GET: greet });
    // @ts-expect-error -- a handler alone is no endpoint
    const bare: Route = { path: '/', kind: 'page', handlers: { GET: forgetful } };
    // @ts-expect-error -- nor is an object that looks like one
    const made: Endpoint<BufferedContext> = { permission: OPEN, answer: forgetful };
    expect([bare.path, made.permission]).toEqual(['/', OPEN]);
  });
});
