import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../../service/kernel/errors.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { TestBrowser } from '../support/browser-client.js';
import {
  CLIENT_ID,
  poll,
  postForm,
  startDevice,
  tokensOf,
  type Tokens,
} from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import { openSettings } from '../support/users.js';
import { openReadyDatabase } from '../support/database-templates.js';
import { startTestService } from '../support/running-service.js';
import type { TestService } from '../support/running-service.js';

describe('while the database is unavailable', () => {
  let service: TestService;
  let database: Database;
  let tokens: Tokens;
  let away: (sql: string) => boolean = () => false;

  beforeAll(async () => {
    database = await openReadyDatabase();
    const check = (sql: string): void => {
      if (away(sql)) throw new UnavailableError('the database is away', 7);
    };
    service = await startTestService({
      database: {
        ...database,
        query: async (sql, params) => {
          check(sql);
          return database.query(sql, params);
        },
        transaction: async (work) => {
          check('BEGIN');
          return database.transaction((transaction) =>
            work({
              ...transaction,
              query: async (sql, params) => {
                check(sql);
                return transaction.query(sql, params);
              },
            }),
          );
        },
      },
    });
    tokens = await service.connect();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    away = () => false;
  });

  // @threat S4
  it.each([
    ['POST', '/api/oauth/token', { grant_type: 'refresh_token', refresh_token: '{{own}}' }],
    [
      'POST',
      '/api/oauth/token',
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
    ],
    ['POST', '/api/oauth/revoke', { token: '{{own}}' }],
    ['POST', '/api/oauth/device_authorization', { scope: 'uploads:write' }],
  ])('API clients get 503 with Retry-After: %s %s %j', async (_method, path, form) => {
    away = () => true;

    const url = service.baseUrl + path;
    const own = Object.entries(form).map(([name, value]): [string, string] => [
      name,
      value.replace('{{own}}', tokens.refreshToken),
    ]);
    const { status, headers, body } = await postForm(url, {
      client_id: CLIENT_ID,
      ...Object.fromEntries(own),
    });

    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('7');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
    });
  });

  it('the list of uploads returns 503 with Retry-After', async () => {
    const { accessToken } = await service.connect();
    away = () => true;

    const answer = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });

    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it.each([
    '/oauth/device',
    authorizePath(makePkce()),
    '/settings',
    '/settings/sign-in',
    '/oauth/interaction/some-interaction',
    '/oauth/authorize/some-interaction',
    '/oauth/device/some-interaction',
  ])('browsers get a page with the reason at %s', async (path) => {
    // Anonymous clients get some of them without a database.
    const browser = await openSettings(service, service.demo);
    away = () => true;

    for (let turn = 0; turn < 2; turn += 1) {
      const page = await browser.open(path);
      // Some need no database: without a cookie there is nothing to look up.
      if (page.status === 400 && path.includes('some-interaction')) continue;
      expect(page.status).toBe(503);
      expect(page.headers.get('retry-after')).toBe('7');
      expect(page.text).toContain('The service is busy. Try again in a moment.');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  /** Lets the statement after the next `count` ones fail, and no other. */
  const failAfter = (count: number): void => {
    let left = count;
    away = () => {
      left -= 1;
      return left === -1;
    };
  };

  it('a sign-in succeeds later, whichever statement failed', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    const { username, password } = service.demo;
    let text = '';
    for (let turn = 0; !text.includes('You are connected'); turn += 1) {
      expect(turn).toBeLessThan(60);
      await database.query('DELETE FROM attempts');
      // Entering the code ...
      await browser.open('/oauth/device');
      failAfter(turn);
      const entered = await browser.submit('Continue', { user_code: userCode });
      // Allowed before, only the page for it did not come.
      if (entered.text.includes('already been used')) break;
      expect([200, 503]).toContain(entered.status);
      away = () => false;
      // ... and, in the second try, allowing.
      await browser.open(`/oauth/device?user_code=${userCode}`);
      const next = await browser.submit('Continue');
      if (next.text.includes('Sign in')) await browser.submit('Sign in', { username, password });
      failAfter(turn);
      const decided = await browser.submit('Allow');
      expect([200, 503]).toContain(decided.status);
      ({ text } = decided);
      away = () => false;
    }
    expect(tokensOf(await poll(service.baseUrl, deviceCode)).accessToken).toMatch(/^svc_at_/);
  });

  it('the log has no other error than unavailability', async () => {
    const before = service.logLines.length;
    away = () => true;
    await postForm(`${service.baseUrl}/api/oauth/token`, {
      client_id: CLIENT_ID,
      grant_type: 'refresh_token',
      refresh_token: tokens.refreshToken,
    });

    // Background jobs have no request.
    const lines = service.logLines.slice(before).filter(({ requestId }) => requestId !== undefined);
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'server_error',
        requestId: expect.any(String),
        message: 'UnavailableError: the database is away',
      }),
      expect.objectContaining({ event: 'request', status: 503 }),
    ]);
  });
});
