import { beforeEach, describe, expect, it } from '@jest/globals';
import { API_RESOURCE } from '../../../service/identity/scopes.js';
import type { Page } from '../support/browser-client.js';
import { CLIENT_ID, DEVICE_GRANT, postForm } from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import {
  browserAt,
  connectFrom,
  guessPasswords,
  openSignIn,
  requestDeviceFrom,
  useServiceBehindProxy,
  tally,
} from './anonymous-clients.js';

describe('rows that an anonymous client can create', () => {
  let clock = Date.now();

  const service = useServiceBehindProxy(() => new Date(clock));
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    await service.database.query('DELETE FROM oidc_records');
  });

  const rows = async (kind: string): Promise<{ count: number; longest: number }> => {
    const [row] = await service.database.query<{ count: number; longest: number }>(
      `SELECT count(*)::integer AS count, coalesce(max(length(payload::text)), 0) AS longest
         FROM oidc_records WHERE kind = $1`,
      [kind],
    );
    return row ?? { count: 0, longest: 0 };
  };

  /** Opens a URL `times` times without cookies and counts each status. */
  const openAnew = async (
    path: string,
    address: string,
    times: number,
    init: {
      method?: string;
      body?: URLSearchParams;
      headers?: Record<string, string>;
      atOnce?: number;
    } = {},
  ): Promise<Record<number, number>> => {
    const statuses: number[] = [];
    const { atOnce = 10, ...request } = init;
    const open = async (): Promise<void> => {
      const response = await fetch(service.baseUrl + path, {
        ...request,
        redirect: 'manual',
        headers: { ...init.headers, 'x-forwarded-for': address, accept: 'text/html' },
      });
      await response.arrayBuffer();
      statuses.push(response.status);
    };
    for (let done = 0; done < times; done += atOnce) {
      await Promise.all(Array.from({ length: Math.min(atOnce, times - done) }, open));
    }
    return tally(statuses);
  };

  /** Puts every count so far up by 290, as if that many more requests had come. */
  const spend290 = (): Promise<unknown> =>
    service.database.query('UPDATE attempts SET count = count + 290 WHERE count > 0');

  it('stores only the required fields of a device authorization', async () => {
    const filler = Object.fromEntries(
      ['login_hint', 'ui_locales', 'made_up'].map((name) => [name, 'x'.repeat(2000)]),
    );
    const { status } = await requestDeviceFrom(service, '192.0.2.1', {
      ...filler,
      scope: Array(100).fill('uploads:write').join(' '),
      made_up_too: 'x'.repeat(5000),
    });

    expect(status).toBe(200);
    expect((await rows('DeviceCode')).longest).toBeLessThan(500);
  });

  it.each([
    ['login_hint', 'x'.repeat(10_000)],
    ['ui_locales', 'x'.repeat(2049)],
  ])('stores nothing of a device authorization with a %s that is too long', async (name, value) => {
    const answer = await requestDeviceFrom(service, '192.0.2.2', { [name]: value });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'invalid_request' });
    expect((await rows('DeviceCode')).count).toBe(0);
  });

  it('stores nothing of a device authorization that repeats its resource a hundred times', async () => {
    const body = new URLSearchParams({ client_id: CLIENT_ID, scope: 'uploads:write' });
    for (let turn = 0; turn < 100; turn += 1) body.append('resource', API_RESOURCE);
    const url = `${service.baseUrl}/api/oauth/device_authorization`;

    const answer = await fetch(url, { method: 'POST', body });

    expect(answer.status).toBe(400);
    expect((await rows('DeviceCode')).count).toBe(0);
  });

  // @threat S3
  it('stores at most a hundred device codes for one address while others connect', async () => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 105; turn += 1) {
      statuses.push((await requestDeviceFrom(service, '192.0.2.3')).status);
    }
    const refused = await requestDeviceFrom(service, '192.0.2.3');

    expect(tally(statuses)).toEqual({ 200: 100, 429: 5 });
    expect(refused.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('Try again in 15 minutes.'),
    });
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await rows('DeviceCode')).count).toBe(100);
    expect(await connectFrom(service, '192.0.2.4')).toBe(200);
    clock += 15 * 60_000;
    expect((await requestDeviceFrom(service, '192.0.2.3')).status).toBe(200);
  });

  it('stores only the required fields of an authorization request, 300 times for one address', async () => {
    const long = 'x'.repeat(2000);
    const path = authorizePath(makePkce(), { login_hint: long, ui_locales: long, made_up: long });

    await openAnew(path, '192.0.2.5', 1);
    await spend290();
    expect(await openAnew(path, '192.0.2.5', 20)).toEqual({ 303: 9, 429: 11 });

    const stored = await rows('Interaction');
    expect(stored.count).toBe(10);
    expect(stored.longest).toBeLessThan(1000);
    expect((await browserAt(service, '192.0.2.6').open(path)).status).toBe(200);
  });

  it('limits the sign-in pages of one signed-in user and names the reason', async () => {
    const browser = browserAt(service, '192.0.2.12');
    await browser.open('/settings');
    await browser.submit('Sign in', {
      username: service.demo.username,
      password: service.demo.password,
    });
    const { body } = await requestDeviceFrom(service, '192.0.2.12');
    const enter = async (): Promise<Page> => {
      await browser.open('/oauth/device');
      return browser.submit('Continue', { user_code: String(body['user_code']) });
    };
    expect((await enter()).status).toBe(200);
    await spend290();
    await service.database.query('UPDATE attempts SET count = count + 9 WHERE count > 290');
    const refused = await enter();

    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many requests to connect apps');
    expect(refused.text).not.toContain('address');
    // Another user at this address is not affected.
    const other = browserAt(service, '192.0.2.12');
    expect((await other.open(authorizePath(makePkce()))).status).toBe(200);
  });

  it.each(['state', 'nonce', 'redirect_uri', 'scope', 'login_hint', 'client_id'])(
    'stores nothing of an authorization request with a %s that is too long',
    async (name) => {
      const path = authorizePath(makePkce(), { [name]: 'x'.repeat(4000) });

      await openAnew(path, '192.0.2.7', 1);

      expect((await rows('Interaction')).count).toBe(0);
    },
  );

  it.each(['/oauth/device', '/oauth/device/some-interaction', '/settings/sign-in'])(
    'stores nothing for new browsers that open %s',
    async (path) => {
      await openAnew(path, '192.0.2.8', 10);

      expect((await rows('Session')).count).toBe(0);
    },
  );

  it('stores a limited number of sign-in pages for one device code', async () => {
    const { body } = await requestDeviceFrom(service, '192.0.2.10');
    const browser = browserAt(service, '192.0.2.10');
    await browser.open('/oauth/device');
    const form = new URLSearchParams({
      ...browser.page.form?.fields,
      user_code: String(body['user_code']),
      confirm: 'yes',
    });
    const names = ['cws_form', 'cws_form.sig'];
    const cookie = names.map((name) => `${name}=${browser.cookie(name)}`).join('; ');

    const enter = (times: number): Promise<Record<number, number>> =>
      openAnew('/oauth/device', '192.0.2.10', times, {
        method: 'POST',
        body: form,
        headers: { cookie },
        atOnce: 1,
      });
    await enter(1);
    await spend290();
    const counts = await enter(20);

    expect(counts).toEqual({ 303: 9, 429: 11 });
    expect((await rows('Interaction')).count).toBe(10);
  });

  it('stores nothing for polls with unknown codes', async () => {
    for (const code of ['made-up', 'x'.repeat(10_000)]) {
      const { status } = await postForm(`${service.baseUrl}/api/oauth/token`, {
        client_id: CLIENT_ID,
        grant_type: DEVICE_GRANT,
        device_code: code,
      });
      expect(status).toBe(400);
    }

    expect(await service.database.query('SELECT * FROM device_polls')).toEqual([]);
  });

  it('stores a few small rows for failed sign-ins with long, new names', async () => {
    const browser = await openSignIn(service, '192.0.2.11');
    for (let turn = 0; turn < 3; turn += 1) {
      await guessPasswords(browser, `${'x'.repeat(200)}${turn}`, 1);
    }

    const [{ count = 0, longest = 0 } = {}] = await service.database.query<{
      count?: number;
      longest?: number;
    }>('SELECT count(*)::integer AS count, max(length(key)) AS longest FROM attempts');
    expect(count).toBeLessThanOrEqual(3 * 3 + 5);
    expect(longest).toBe(43);
  });

  it('deletes expired rows after an hour', async () => {
    await requestDeviceFrom(service, '192.0.2.12');
    await browserAt(service, '192.0.2.12').open('/oauth/device');
    await browserAt(service, '192.0.2.12').open(authorizePath(makePkce()));
    await guessPasswords(await openSignIn(service, '192.0.2.12'), 'nobody', 1);
    clock += 2 * 3600_000 + 1000;

    await service.purge();

    for (const kind of ['DeviceCode', 'Session', 'Interaction']) {
      expect((await rows(kind)).count).toBe(0);
    }
    clock += 24 * 3600_000;
    await service.purge();
    expect(await service.database.query('SELECT * FROM attempts')).toEqual([]);
  });
});
