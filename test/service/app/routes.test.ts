import { describe, expect, it } from '@jest/globals';
import { handlerFor } from '../../../service/kernel/http/router.js';
import { routeOf } from '../attacks/fuzz/route-of.js';
import { VALID_REQUESTS } from '../attacks/fuzz/valid-requests.js';
import { useService } from '../support/use-service.js';
import { needsUser, SERVICE_ROUTES, type ListedRoute } from '../support/service-routes.js';

/** What a method of a route requires before anything else: the sign-in of a browser, a token, or neither. */
function requiredBy(route: ListedRoute, method: string): 'session' | 'token' | 'neither' {
  const { kind } = handlerFor<ListedRoute['handlers'][string]>(route.handlers, method).permission;
  return kind === 'session' || kind === 'token' ? kind : 'neither';
}

describe('a request without a session or token', () => {
  const service = useService();

  it.each(SERVICE_ROUTES)('to $path is refused as its permission says', async (route) => {
    for (const method of route.methods) {
      const required = requiredBy(route, method);
      const response = await fetch(service.baseUrl + route.path.replace(':id', 'some-id'), {
        method,
        redirect: 'manual',
      });
      const { status, headers } = response;
      const isSentToSignIn = headers.get('location')?.startsWith('/settings/sign-in?to=') === true;
      const refusedFor =
        status === 401 && headers.get('www-authenticate')?.startsWith('Bearer') === true
          ? 'token'
          : isSentToSignIn || status === 401 || (method === 'POST' && status === 403)
            ? 'session'
            : 'neither';
      // Forms without a valid token get 403, also on pages without sign-in.
      const isOpenForm = required === 'neither' && method === 'POST' && route.kind === 'page';
      if (!isOpenForm) expect([method, refusedFor]).toEqual([method, required]);
    }
  });

  it.each(SERVICE_ROUTES)(
    'to $path gets JSON or a page according to its kind',
    async ({ path, kind, handlers }) => {
      const { headers } = await fetch(service.baseUrl + path.replace(':id', 'some-id'), {
        method: 'PROPFIND',
      });
      const isApi = kind === 'api' || kind === 'upload';
      const needsSession = Object.values(handlers).some(
        ({ permission }) => permission.kind === 'session',
      );
      expect(headers.get('content-type')).toMatch(isApi ? /^application\/json/ : /^text\/html/);
      expect(headers.get('access-control-allow-origin')).toBe(isApi && !needsSession ? '*' : null);
    },
  );
});

describe('the permissions of all routes', () => {
  it('require a session or a token wherever a path has neither a secret nor a sign-in in it', () => {
    const open = SERVICE_ROUTES.filter((route) => !needsUser(route)).map(({ path }) => path);
    expect(open.filter((path) => path.startsWith('/api/v1/'))).toEqual([
      '/api/v1/receipts/keys',
      '/api/v1/openapi.json',
    ]);
  });
});

// A new page is added to `requests.ts` of its feature.
it('the fuzzer begins with a request for each method of each route', () => {
  const known = new Set(
    VALID_REQUESTS.map((request) => `${request.method} ${routeOf(request)?.path ?? ''}`),
  );
  const missing = SERVICE_ROUTES.flatMap(({ path, methods }) =>
    methods
      // What comes with every GET.
      .filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      .map((method) => `${method} ${path}`),
  ).filter((one) => !known.has(one));
  expect(missing).toEqual([]);
});
