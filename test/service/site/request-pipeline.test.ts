import { describe, expect, it } from '@jest/globals';
import { HAS_IPV6 } from '../../support/ipv6.js';
import { TestBrowser } from '../support/browser-client.js';
import { listUploads, requestDevice } from '../support/oauth-client.js';
import { startTestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';
import { rawRequest, sendRaw } from '../attacks/raw-connection.js';

/** The names under which this machine reaches itself. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', ...(HAS_IPV6 ? ['[::1]'] : [])];

describe('the request pipeline', () => {
  const service = useService();

  it.each(['/api', '/api/v1/nothing', '/api/oauth/nothing'])(
    'answers JSON to the unknown address %s',
    async (path) => {
      const answer = await fetch(service.baseUrl + path);

      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: 'not_found' });
    },
  );

  it('answers a page to an unknown address outside of the API', async () => {
    const answer = await fetch(`${service.baseUrl}/nothing`);

    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('Page not found');
  });

  it.each([
    ['GET', '/api/oauth/token', 'POST, OPTIONS'],
    ['PUT', '/api/v1/uploads', 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/settings/developer/tokens', 'POST, OPTIONS'],
    ['POST', '/settings/developer', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v1/uploads/some-id', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ])('returns 405 with Allow for %s %s', async (method, path, allow) => {
    const answer = await fetch(service.baseUrl + path, { method });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each(['/api/v1/uploads', '/api/v1/uploads/some-id', '/api/oauth/token', '/api/oauth/revoke'])(
    'answers a preflight for %s with a max age',
    async (path) => {
      const answer = await fetch(service.baseUrl + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'http://localhost:8781',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,tus-resumable,upload-offset',
        },
      });

      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
      const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase();
      for (const name of [
        'authorization',
        'content-type',
        'tus-resumable',
        'upload-offset',
        'upload-length',
        'upload-metadata',
      ]) {
        expect(allowed.split(', ')).toContain(name);
      }
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(600);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  it.each([
    ['GET', '/api/v1/uploads'],
    ['POST', '/api/v1/uploads'],
    ['OPTIONS', '/api/v1/uploads'],
    ['POST', '/api/oauth/token'],
    ['POST', '/api/oauth/device_authorization'],
    ['POST', '/api/oauth/revoke'],
    ['GET', '/api/nothing'],
  ])('allows scripts of other origins to read the response to %s %s', async (method, path) => {
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers: { origin: 'http://localhost:8781' },
    });

    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').split(/, */);
    expect(exposed).toEqual(
      expect.arrayContaining([
        'Location',
        'Upload-Offset',
        'Retry-After',
        'WWW-Authenticate',
        'X-Request-Id',
      ]),
    );
  });

  it('keeps the pages closed to scripts of other origins', async () => {
    const answer = await fetch(`${service.baseUrl}/oauth/device`, {
      headers: { origin: 'http://localhost:8781' },
    });

    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('logs every response with its X-Request-Id, method, path, status and time', async () => {
    const answers = [
      await fetch(`${service.baseUrl}/oauth/device?user_code=BCDF-GHJK`),
      await fetch(`${service.baseUrl}/api/v1/uploads`),
      await fetch(`${service.baseUrl}/nothing`),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));

    expect(new Set(ids).size).toBe(3);
    expect(service.logLines.filter((line) => ids.includes(line.requestId ?? ''))).toEqual([
      expect.objectContaining({ method: 'GET', path: '/oauth/device', status: 200 }),
      expect.objectContaining({ method: 'GET', path: '/api/v1/uploads', status: 401 }),
      expect.objectContaining({
        method: 'GET',
        path: '/nothing',
        status: 404,
        ms: expect.any(Number),
      }),
    ]);
  });

  it('redirects browsers from 127.0.0.1 and [::1] to localhost', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    expect(hostname).toBe('localhost');

    for (const name of LOOPBACK_NAMES) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(`http://${name}:${port}/oauth/device?user_code=BCDF-GHJK`, {
          method,
          redirect: 'manual',
        });
        const isOwn = name === 'localhost';
        expect([name, answer.status, answer.headers.get('location')]).toEqual(
          isOwn
            ? [name, 200, null]
            : [name, 302, `http://localhost:${port}/oauth/device?user_code=BCDF-GHJK`],
        );
        expect(answer.headers.get('set-cookie') === null).toBe(!isOwn);
      }
    }
  });

  it('serves API clients under every name with one base URL', async () => {
    const { port } = new URL(service.baseUrl);
    const { accessToken } = await service.connect();

    for (const name of LOOPBACK_NAMES) {
      const baseUrl = `http://${name}:${port}`;
      const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`);
      expect(await metadata.json()).toMatchObject({ issuer: service.baseUrl });
      const { status, body } = await requestDevice(baseUrl);
      expect(status).toBe(200);
      expect(body).toMatchObject({ verification_uri: `${service.baseUrl}/oauth/device` });
      expect((await listUploads(baseUrl, accessToken)).status).toBe(200);
      expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    }
  });

  it('signs in a user who opened 127.0.0.1', async () => {
    const { port } = new URL(service.baseUrl);
    const typed = await fetch(`http://127.0.0.1:${port}/settings/apps`, { redirect: 'manual' });
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(typed.headers.get('location') ?? '');
    await browser.submit('Sign in', {
      username: service.demo.username,
      password: service.demo.password,
    });
    expect(browser.page.url).toBe(`${service.baseUrl}/settings/apps`);
  });

  it('publishes its metadata (RFC 8414)', async () => {
    const answer = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);

    expect(await answer.json()).toMatchObject({
      issuer: service.baseUrl,
      token_endpoint: `${service.baseUrl}/api/oauth/token`,
      device_authorization_endpoint: `${service.baseUrl}/api/oauth/device_authorization`,
      revocation_endpoint: `${service.baseUrl}/api/oauth/revoke`,
    });
  });
});

it('sends Strict-Transport-Security for a public host name', async () => {
  const service = await startTestService({ baseUrl: 'https://service.example' });
  const page = await fetch(`http://${service.listensOn}/oauth/device`);
  expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000');
  await service.close();
});

it.each([
  ['service.example', '/', 200],
  ['service.example:443', '/', 200],
  ['evil.example', '/', 421],
  ['192.0.2.1', '/oauth/device', 421],
  ['evil.example', '/api/v1/uploads', 421],
  ['192.0.2.1:8780', '/healthz', 200],
])('answers at a public base URL to Host %s for %s with %i', async (host, path, status) => {
  const service = await startTestService({ baseUrl: 'https://service.example' });
  const raw = rawRequest('GET', path, [`Host: ${host}`]);
  expect((await sendRaw(`http://${service.listensOn}`, raw)).status).toBe(status);
  await service.close();
});
