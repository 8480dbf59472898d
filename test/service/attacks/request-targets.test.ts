import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, DESKTOP_REDIRECT, makePkce } from '../support/code-flow.js';
import { useService } from '../support/use-service.js';
import { rawRequest, sendRaw } from './raw-connection.js';
import type { RawAnswer } from './raw-connection.js';
import { SERVICE_ROUTES } from '../support/service-routes.js';

const METADATA = '/.well-known/oauth-authorization-server';

describe('the target and the method of a request', () => {
  let host: string;

  const service = useService();
  beforeAll(() => {
    ({ host } = new URL(service.baseUrl));
  });

  const ask = (method: string, target: string, ...headers: string[]): Promise<RawAnswer> =>
    sendRaw(service.baseUrl, rawRequest(method, target, [`Host: ${host}`, ...headers]));

  it.each([
    '/oauth/device',
    '/oauth/device?user_code=BCDF-GHJK',
    '/oauth/authorize',
    '/settings',
    '/settings/sign-in',
    '/',
    '/photos',
    '/oauth/interaction/some-interaction',
    '/nothing',
    METADATA,
    '/api/oauth/jwks',
    '/api/nothing',
    '/healthz',
  ])('HEAD %s answers like GET without the body (RFC 9110 section 9.3.2)', async (path) => {
    const got = await fetch(service.baseUrl + path, { redirect: 'manual' });
    const head = await fetch(service.baseUrl + path, { method: 'HEAD', redirect: 'manual' });

    expect(head.status).toBe(got.status);
    for (const name of ['content-type', 'cache-control', 'location', 'content-security-policy']) {
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
    expect(await head.text()).toBe('');
  });

  it.each([
    ['/oauth/device', 'GET, HEAD, POST, OPTIONS'],
    ['/oauth/device/some-interaction', 'GET, HEAD, OPTIONS'],
    ['/oauth/authorize', 'GET, HEAD, OPTIONS'],
    ['/oauth/authorize/some-interaction', 'GET, HEAD, OPTIONS'],
    ['/oauth/interaction/some-interaction', 'GET, HEAD, POST, OPTIONS'],
    ['/settings', 'GET, HEAD, OPTIONS'],
    ['/settings/apps', 'GET, HEAD, POST, OPTIONS'],
    ['/photos', 'GET, HEAD, POST, OPTIONS'],
    ['/photos/some-photo', 'GET, HEAD, POST, OPTIONS'],
    ['/photos/some-photo/file', 'GET, HEAD, OPTIONS'],
    [METADATA, 'GET, HEAD, OPTIONS'],
    ['/api/oauth/jwks', 'GET, HEAD, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/api/oauth/token', 'POST, OPTIONS'],
    ['/api/oauth/revoke', 'POST, OPTIONS'],
    ['/api/oauth/introspect', 'POST, OPTIONS'],
    ['/api/oauth/device_authorization', 'POST, OPTIONS'],
  ])('%s accepts %s and returns 405 with Allow otherwise', async (path, allow) => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const answer = await ask(method, path);
      expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
    }
    const options = await ask('OPTIONS', path);
    expect([options.status, options.headers['allow'], options.body]).toEqual([204, allow, '']);
  });

  it.each(SERVICE_ROUTES)(
    '$path returns 405 for other methods and accepts HEAD with GET',
    async (route) => {
      const path = route.path.replace(':id', 'some-id');
      const allow = [...new Set([...route.methods, 'OPTIONS'])].join(', ');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
        const { status, headers } = await ask(method, path, 'Connection: close');
        const isTaken = route.methods.includes(method);
        expect([method, status === 405, headers['allow']]).toEqual([
          method,
          !isTaken,
          isTaken ? undefined : allow,
        ]);
      }
      if (route.methods.includes('GET')) expect(route.methods).toContain('HEAD');
    },
  );

  it('an unknown path is 404 for every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      expect((await ask(method, '/nothing')).status).toBe(404);
      expect((await ask(method, '/api/nothing')).status).toBe(404);
    }
  });

  it('an absolute-form target is routed by its path (RFC 9112 section 3.2.2)', async () => {
    const page = await ask('GET', `http://${host}/oauth/device?user_code=BCDF-GHJK`);
    expect(page.status).toBe(200);
    expect(page.body).toContain('BCDF-GHJK');

    const metadata = await ask('GET', `HTTP://studio.localhost${METADATA}`);
    expect(JSON.parse(metadata.body)).toMatchObject({ issuer: service.baseUrl });

    expect((await ask('GET', `http://${host}/api/v1/uploads`)).status).toBe(401);
    expect((await ask('GET', `http://${host}`)).body).toContain('Your files in one place');
  });

  // @threat S5
  it.each([
    ['GET', '/'],
    ['GET', '/oauth/device'],
    ['GET', '/settings/sign-in'],
    ['POST', '/settings/sign-in'],
    ['GET', '/photos'],
    ['GET', '/nothing'],
    ['GET', '/healthz'],
    ['GET', METADATA],
    ['OPTIONS', '/api/v1/uploads'],
    ['GET', '/api/v1/uploads'],
    ['POST', '/api/oauth/token'],
    ['OPTIONS', '*'],
    ['GET', `http://evil.example/oauth/device`],
  ])('%s %s gets 421 for another host (DNS rebinding)', async (method, target) => {
    const { port } = new URL(service.baseUrl);
    const asked = target.startsWith('http') ? host : `evil.example:${port}`;
    const { status, headers, body } = await sendRaw(
      service.baseUrl,
      rawRequest(method, target, [`Host: ${asked}`]),
    );
    expect(status).toBe(421);
    expect(body).not.toContain('evil');
    // The only address in the answer is the service's.
    expect(headers['location']).toBeUndefined();
    if (target !== '*') expect(body).toContain(service.baseUrl);
  });

  it.each([
    ['*', 400],
    ['//evil.example/', 404],
    ['//evil.example/oauth/device', 404],
    ['/\\evil.example', 404],
    ['/oauth//device', 404],
    ['/oauth/../oauth/device', 404],
    ['/./oauth/device', 404],
    ['/oauth/%2e%2e/settings', 404],
    ['/oauth/device%3fuser_code=x', 404],
    ['/settings/..;/apps', 404],
    ['/api/v1/uploads/../uploads', 404],
    ['/api/v1/uploads//', 404],
    ['/api/v1/uploads/%2e%2e/x', 404],
    ['/oauth/device#x', 404],
    ['/oauth/device?a=b#x', 400],
    ['/oauth/d\xe9vice', 400],
    ['/oauth/device?x=\xe9', 400],
    ['ftp://evil.example/oauth/device', 400],
    ['http://', 400],
    ['http:///oauth/device', 400],
    ['oauth/device', 400],
    ['?user_code=x', 400],
  ])('%s is not found', async (target, status) => {
    for (const asked of [host, `127.0.0.1:${new URL(service.baseUrl).port}`]) {
      const answer = await sendRaw(service.baseUrl, rawRequest('GET', target, [`Host: ${asked}`]));
      expect(answer.status).toBe(status);
      expect(answer.headers['location']).toBeUndefined();
    }
    expect(service.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('OPTIONS * is answered', async () => {
    expect((await ask('OPTIONS', '*')).status).toBe(204);
  });

  it.each([
    ['two Host headers', ['Host: localhost', 'Host: evil.example']],
    ['the same Host twice', ['Host: localhost', 'host: localhost']],
    ['no Host', []],
    ['a Host that is none', ['Host: evil.example/path']],
    ['a Host with a user', ['Host: user@evil.example']],
    ['two Host names in one', ['Host: localhost, evil.example']],
    ['two tokens', ['Host: localhost', 'Authorization: Bearer a', 'Authorization: Bearer b']],
    [
      'two content types',
      ['Host: localhost', 'Content-Type: text/plain', 'Content-Type: application/json'],
    ],
  ])('%s are refused (RFC 9112 section 3.2, RFC 9110 section 5.3)', async (_name, headers) => {
    for (const path of ['/oauth/device', METADATA, '/api/v1/uploads']) {
      const answer = await sendRaw(service.baseUrl, rawRequest('GET', path, headers));
      expect(answer.status).toBe(400);
    }
  });

  it('proxy headers do not change URLs and cookies', async () => {
    const claims = [
      'X-Forwarded-Proto: https,http',
      'X-Forwarded-Host: evil.example',
      'Forwarded: proto=https;host=evil.example',
    ];
    const plain = await ask('GET', METADATA);
    const claimed = await ask('GET', METADATA, ...claims);
    expect(JSON.parse(claimed.body)).toEqual(JSON.parse(plain.body));
    for (const path of ['/oauth/device', '/settings/sign-in', authorizePath(makePkce())]) {
      const page = await ask('GET', path, ...claims);
      expect(page.status).toBeLessThan(400);
      expect(page.headers['location'] ?? '/').toMatch(/^\//);
      expect(page.headers['set-cookie'] ?? '').not.toMatch(/secure/i);
    }
  });

  it('the metadata lists exactly the existing scopes', async () => {
    const metadata = JSON.parse((await ask('GET', METADATA)).body) as Record<string, unknown>;

    expect(metadata['scopes_supported']).toEqual([
      'uploads:write',
      'uploads:read',
      'uploads:content',
      'uploads:delete',
      'projects:write',
      'shares:write',
      'feedback:write',
      'workspace:read',
      'offline_access',
    ]);
  });

  it.each([
    ['token', undefined],
    ['id_token token', undefined],
    ['code token', 'fragment'],
    ['token', 'form_post'],
    ['none', undefined],
    ['nonsense', 'fragment'],
  ])(
    'response_type=%s with response_mode %s is refused in the query (RFC 6749 section 3.1.1)',
    async (type, mode) => {
      const path = authorizePath(makePkce(), { response_type: type, response_mode: mode });
      const { status, headers } = await ask('GET', path);

      expect(status).toBe(303);
      const location = new URL(headers['location'] ?? '');
      expect(location.hash).toBe('');
      expect(location.origin + location.pathname).toBe(DESKTOP_REDIRECT);
      expect(location.searchParams.get('error')).toMatch(/^unsupported_response_(type|mode)$/);
      expect(location.searchParams.get('state')).toBe('some-state');
    },
  );
});
