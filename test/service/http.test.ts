import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService } from './running.js';
import type { TestService } from './running.js';

describe('the front of the service', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

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
    ['PUT', '/api/v1/uploads', 'GET, POST, OPTIONS'],
    ['GET', '/api/v1/uploads/some-id', 'HEAD, PATCH, DELETE, OPTIONS'],
  ])('answers 405 to %s %s and says what it takes', async (method, path, allow) => {
    const answer = await fetch(service.baseUrl + path, { method });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each(['/api/v1/uploads', '/api/v1/uploads/some-id', '/api/oauth/token', '/api/oauth/revoke'])(
    'answers a preflight for %s, to be remembered',
    async (path) => {
      const answer = await fetch(service.baseUrl + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'http://127.0.0.1:8781',
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
  ])('lets a script of another origin read the answer to %s %s', async (method, path) => {
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers: { origin: 'http://127.0.0.1:8781' },
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
      headers: { origin: 'http://127.0.0.1:8781' },
    });

    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('gives every answer its own X-Request-Id and logs it with method, path, status and time', async () => {
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

  it('sends a browser that says localhost to the name the cookies belong to', async () => {
    const { port } = new URL(service.baseUrl);

    const answer = await fetch(`http://localhost:${port}/oauth/device?user_code=BCDF`, {
      redirect: 'manual',
    });

    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(
      `http://127.0.0.1:${port}/oauth/device?user_code=BCDF`,
    );
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
