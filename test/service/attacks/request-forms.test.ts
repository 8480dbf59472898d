import { describe, expect, it } from '@jest/globals';
import { DEVICE_GRANT } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';
import { create, locationOf } from '../support/tus-client.js';
import { RawConnection, rawRequest, sendRaw } from './raw-connection.js';

const TYPE = 'Content-Type: application/x-www-form-urlencoded';

/** Invalid texts: a NUL, broken percent-encoding, invalid UTF-8, half of a character. */
const NO_TEXTS = ['%00', 'a%00b', '%', '%zz', '%ff', '%ed%a0%80', '%c0%80'];

const QUERIES: readonly string[] = [
  '/oauth/device?user_code=',
  '/oauth/authorize?response_type=code&client_id=',
  '/oauth/authorize?client_id=creative-workspace-desktop&redirect_uri=',
  '/oauth/authorize?client_id=creative-workspace-desktop&state=',
  '/oauth/authorize?',
  '/oauth/interaction/some-interaction?x=',
  '/settings/sign-in?to=',
  '/settings/apps?flash=',
  '/settings/developer/applications/new?workspace=',
  '/api/v1/uploads?after=',
  '/api/oauth/jwks?x=',
  '/healthz?x=',
];

const FORMS: readonly (readonly [path: string, form: string])[] = [
  [
    '/api/oauth/token',
    'grant_type=refresh_token&client_id=creative-workspace-plugin&refresh_token=',
  ],
  [
    '/api/oauth/token',
    `grant_type=${DEVICE_GRANT}&client_id=creative-workspace-plugin&device_code=`,
  ],
  ['/api/oauth/token', 'grant_type=refresh_token&refresh_token=x&client_id='],
  ['/api/oauth/token', 'client_id=creative-workspace-plugin&grant_type='],
  ['/api/oauth/revoke', 'client_id=creative-workspace-plugin&token='],
  ['/api/oauth/device_authorization', 'client_id=creative-workspace-plugin&scope='],
  ['/api/oauth/device_authorization', 'client_id=creative-workspace-plugin&scope=uploads:write&x='],
  ['/oauth/device', 'user_code='],
  ['/oauth/interaction/some-interaction', 'csrf='],
  ['/settings/sign-in', 'username='],
];

describe('invalid text', () => {
  const service = useService();

  const serverErrors = (): unknown[] =>
    service.logLines.filter(({ level, event }) => level === 'error' || event === 'server_error');

  const post = (
    path: string,
    body: string,
    type = TYPE,
  ): Promise<{ status: number; body: string }> =>
    sendRaw(
      service.baseUrl,
      rawRequest(
        'POST',
        path,
        [`Host: ${new URL(service.baseUrl).host}`, `Content-Length: ${body.length}`, type],
        body,
      ),
    );

  const expectRefusal = (
    path: string,
    { status, body }: { status: number; body: string },
  ): void => {
    expect(status).toBe(400);
    if (path.startsWith('/api/') || path.startsWith('/healthz')) {
      expect(JSON.parse(body)).toMatchObject({ error: 'invalid_request' });
    } else {
      expect(body).toContain('<h1>');
    }
    expect(serverErrors()).toEqual([]);
  };

  it.each(QUERIES)('refuses invalid text in the query of %s', async (path) => {
    for (const value of NO_TEXTS) {
      const headers = [`Host: ${new URL(service.baseUrl).host}`];
      const answer = await sendRaw(service.baseUrl, rawRequest('GET', path + value, headers));
      expectRefusal(path, answer);
    }
  });

  it.each(FORMS)('refuses invalid text in a form at %s: %s', async (path, form) => {
    for (const value of [...NO_TEXTS, '\xff', '\x00', '\xed\xa0\x80']) {
      expectRefusal(path, await post(path, form + value));
    }
  });

  it('refuses invalid text as the name of a parameter', async () => {
    expectRefusal('/api/', await post('/api/oauth/token', 'a%00=b'));
    expectRefusal('/oauth', await post('/oauth/device', '%ff=b'));
  });

  it('refuses a form with another charset', async () => {
    const form = Buffer.from('grant_type=refresh_token&client_id=x&refresh_token=%00', 'utf16le');
    const answer = await post(
      '/api/oauth/token',
      form.toString('latin1'),
      `${TYPE}; charset=utf-16le`,
    );

    expectRefusal('/api/', answer);
  });

  it('returns 404 for invalid text in a path', async () => {
    for (const path of ['/%00', '/settings/%00', '/oauth/device/%00', '/api/v1/uploads/%00']) {
      const { status } = await sendRaw(service.baseUrl, rawRequest('GET', path));
      expect([400, 404]).toContain(status);
    }
    expect(serverErrors()).toEqual([]);
  });
});

describe('a client that disconnects', () => {
  const service = useService();

  const begun = (method: string, path: string, ...headers: string[]): string =>
    rawRequest(
      method,
      path,
      // The interim response shows that the service reads the body.
      ['Host: localhost', 'Content-Length: 1000', 'Expect: 100-continue', ...headers],
      'a=b',
    );

  it('logs no error for an aborted request', async () => {
    const { accessToken } = await service.connect();
    const created = await create(service.baseUrl, accessToken, { length: 1000 });
    const upload = new URL(locationOf(service.baseUrl, created)).pathname;
    const tus = [
      'Tus-Resumable: 1.0.0',
      'Upload-Offset: 0',
      'Content-Type: application/offset+octet-stream',
      `Authorization: Bearer ${accessToken}`,
    ];
    const before = service.logLines.length;
    const requests = [
      begun('POST', '/api/oauth/token', TYPE),
      begun('POST', '/api/oauth/revoke', TYPE),
      begun('POST', '/api/oauth/device_authorization', TYPE),
      begun('POST', '/oauth/device', TYPE),
      begun('POST', '/settings/sign-in', TYPE),
      begun('PATCH', upload, ...tus),
      begun('POST', '/api/v1/uploads', 'Upload-Length: 1000', ...tus),
      rawRequest('GET', '/oauth/device'),
      rawRequest('GET', '/.well-known/oauth-authorization-server'),
    ];
    for (const request of requests) {
      const connection = await RawConnection.open(service.baseUrl);
      connection.send(request);
      await connection.begun();
      connection.cut();
    }

    const lines = (): readonly { event: string }[] => service.logLines.slice(before);
    while (lines().filter(({ event }) => event === 'request').length < requests.length) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lines().filter(({ event }) => event !== 'request')).toEqual([]);
    expect(service.logLines.slice(before).filter(({ level }) => level === 'error')).toEqual([]);
    expect(
      service.logLines.filter(({ path, status }) => path === '/api/oauth/token' && status === 499),
    ).toHaveLength(1);
  });
});
