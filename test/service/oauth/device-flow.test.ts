import { describe, expect, it } from '@jest/globals';
import { approveDevice, denyDevice, TestBrowser } from '../support/browser-client.js';
import {
  CLIENT_ID,
  listUploads,
  poll,
  postForm,
  requestDevice,
  startDevice,
} from '../support/oauth-client.js';
import { startTestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';

describe('the device authorization grant (RFC 8628)', () => {
  let clock = Date.now();

  const service = useService({ now: () => new Date(clock) });

  it('answers a device authorization request with all fields of RFC 8628 section 3.2', async () => {
    const { status, body, headers } = await requestDevice(service.baseUrl);

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${service.baseUrl}/oauth/device`,
      verification_uri_complete: `${service.baseUrl}/oauth/device?user_code=${String(body['user_code'])}`,
      expires_in: 900,
      interval: 5,
    });
  });

  it('issues tokens after code entry, sign-in and consent', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
      error: 'authorization_pending',
    });

    const last = await approveDevice(service.baseUrl, userCode, service.demo);
    expect(last.status).toBe(200);
    expect(last.text).toContain('You can return to the app');

    const { status, body, headers } = await poll(service.baseUrl, deviceCode);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^svc_at_[\w-]{43,}$/),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'uploads:write',
      refresh_attempt_supported: true,
    });
    expect((await listUploads(service.baseUrl, String(body['access_token']))).status).toBe(200);
  });

  // @threat C10
  it('issues the tokens of a device code once; a second use ends them', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo);
    const { body } = await poll(service.baseUrl, deviceCode);

    const second = await poll(service.baseUrl, deviceCode);

    expect(second.status).toBe(400);
    expect(second.body).toMatchObject({ error: 'invalid_grant' });
    expect((await listUploads(service.baseUrl, String(body['access_token']))).status).toBe(401);
  });

  it('issues tokens to at most one of two concurrent polls', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo);

    const answers = await Promise.all([1, 2, 3].map(() => poll(service.baseUrl, deviceCode)));

    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(2);
  });

  it('reports a denial to the client and to the user', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);

    const last = await denyDevice(service.baseUrl, userCode, service.demo);

    expect(last.text).toContain('Not connected');
    const { status, body } = await poll(service.baseUrl, deviceCode);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'access_denied' });
  });

  it('returns slow_down for a poll before the interval', async () => {
    const { deviceCode } = await startDevice(service.baseUrl);
    const errorAfter = async (seconds: number): Promise<unknown> => {
      clock += seconds * 1000;
      const { status, body } = await poll(service.baseUrl, deviceCode);
      expect(status).toBe(400);
      return body['error'];
    };

    expect(await errorAfter(0)).toBe('authorization_pending');
    expect(await errorAfter(1)).toBe('slow_down');
    expect(await errorAfter(5)).toBe('authorization_pending');
    expect(await errorAfter(4.9)).toBe('authorization_pending');
    expect(await errorAfter(4.5)).toBe('authorization_pending');
    expect(await errorAfter(4.499)).toBe('slow_down');
  });

  it('limits the polls of each device separately', async () => {
    const [first, second] = [
      await startDevice(service.baseUrl),
      await startDevice(service.baseUrl),
    ];

    for (const { deviceCode } of [first, second]) {
      expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
        error: 'authorization_pending',
      });
    }
  });

  it('issues tokens to an approved client that polls early', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await poll(service.baseUrl, deviceCode);
    await approveDevice(service.baseUrl, userCode, service.demo);

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it.each([
    [
      'an unknown client',
      { client_id: 'someone-else', scope: 'uploads:write' },
      401,
      'invalid_client',
    ],
    [
      'a scope that does not exist',
      { client_id: CLIENT_ID, scope: 'everything' },
      400,
      'invalid_scope',
    ],
    ['no scope', { client_id: CLIENT_ID }, 400, 'invalid_scope'],
    [
      'a public client that sends a secret',
      { client_id: CLIENT_ID, client_secret: 'x', scope: 'uploads:write' },
      401,
      'invalid_client',
    ],
    [
      'a resource that is not the data API',
      { client_id: CLIENT_ID, scope: 'uploads:write', resource: 'urn:other' },
      400,
      'invalid_target',
    ],
  ])('refuses a device authorization with %s', async (_name, form, status, error) => {
    const answer = await postForm(`${service.baseUrl}/api/oauth/device_authorization`, form);

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error, error_description: expect.any(String) });
  });

  it('refuses a token request of a public client that sends a secret in the header', async () => {
    const { deviceCode } = await startDevice(service.baseUrl);

    const { status, body } = await postForm(
      `${service.baseUrl}/api/oauth/token`,
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode },
      { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:secret`).toString('base64')}` },
    );

    expect(status).toBe(401);
    expect(body).toMatchObject({ error: 'invalid_client' });
  });

  it('requires consent each time and the sign-in once per browser', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const first = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, first.userCode, service.demo, browser);

    const second = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${second.userCode}`);
    const page = await browser.submit('Continue');

    expect(page.text).toContain('Connect Creative Workspace plugin?');
    expect((await poll(service.baseUrl, second.deviceCode)).body).toMatchObject({
      error: 'authorization_pending',
    });
  });
});

describe('a device code with a short life', () => {
  it('returns expired_token to the client and reports it to the user', async () => {
    const service = await startTestService({ lifetimes: { deviceCodeSeconds: 1 } });
    try {
      const { deviceCode, userCode } = await startDevice(service.baseUrl);
      const expired = async (): Promise<boolean> =>
        (await poll(service.baseUrl, deviceCode)).body['error'] === 'expired_token';
      // oidc-provider counts in whole seconds of the machine's clock: this takes one of them.
      while (!(await expired())) await new Promise((resolve) => setTimeout(resolve, 100));

      const browser = new TestBrowser(service.baseUrl);
      await browser.open(`/oauth/device?user_code=${userCode}`);
      const page = await browser.submit('Continue');

      expect(page.status).toBe(400);
      expect(page.text).toContain('This code has expired');
      expect(page.form?.fields).toHaveProperty('user_code');
    } finally {
      await service.close();
    }
  });
});
