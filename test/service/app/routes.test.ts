import { describe, expect, it } from '@jest/globals';
import { useService } from '../support/use-service.js';
import { SERVICE_ROUTES } from '../support/service-routes.js';

describe('a route without a session or token', () => {
  const service = useService();

  it.each(SERVICE_ROUTES)('$path requires the session or token that it declares', async (route) => {
    for (const method of route.methods) {
      if (method === 'OPTIONS') continue;
      const response = await fetch(service.baseUrl + route.path.replace(':id', 'some-id'), {
        method,
        redirect: 'manual',
      });
      const isSentToSignIn = response.headers.get('location')?.startsWith('/settings/sign-in?to=');
      const asksFor =
        response.status === 401 && response.headers.get('www-authenticate')?.startsWith('Bearer')
          ? 'token'
          : isSentToSignIn === true ||
              response.status === 401 ||
              (method === 'POST' && response.status === 403)
            ? 'session'
            : 'none';
      // Forms without a valid token get 403, also on pages without sign-in.
      const isOpenForm = route.auth === 'none' && method === 'POST' && route.kind === 'page';
      if (!isOpenForm) expect([method, asksFor]).toEqual([method, route.auth]);
    }
  });

  it.each(SERVICE_ROUTES)(
    '$path answers with JSON or a page according to its kind',
    async ({ path, kind, auth }) => {
      const { headers } = await fetch(service.baseUrl + path.replace(':id', 'some-id'), {
        method: 'PROPFIND',
      });
      const isApi = kind === 'api' || kind === 'upload';
      expect(headers.get('content-type')).toMatch(isApi ? /^application\/json/ : /^text\/html/);
      expect(headers.get('access-control-allow-origin')).toBe(
        isApi && auth !== 'session' ? '*' : null,
      );
    },
  );
});
