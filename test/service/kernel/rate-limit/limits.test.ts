import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import {
  clientAddress,
  widerNetworks,
} from '../../../../service/kernel/http/request/client-address.js';
import { TestBrowser } from '../../support/browser-client.js';
import { listUploads, startDevice } from '../../support/oauth-client.js';
import { openSettings } from '../../support/users.js';
import { startTestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import {
  create,
  head,
  locationOf,
  offsetOf,
  patch,
  photo,
  sha256,
} from '../../support/tus-client.js';

describe('the limits of the service', () => {
  let clock = Date.now();

  const service = useService({ now: () => new Date(clock), trustedProxies: 1 });
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    // A recent refusal is repeated from memory.
    clock += 10_000;
  });

  const enterFrom = async (
    browser: TestBrowser,
    userCode: string,
    address: string,
  ): Promise<{ status: number; text: string; retryAfter: string | null }> => {
    browser.comesFrom(address);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const page = await browser.submit('Continue');
    return { ...page, retryAfter: page.headers.get('retry-after') };
  };

  it('stop only the address that guesses codes (RFC 8628 section 5.1)', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    for (let guess = 0; guess < 20; guess += 1) {
      expect((await enterFrom(browser, 'BCDF-GHJK', '192.0.2.1')).status).toBe(400);
    }

    // The right code gets the same response.
    const refused = await enterFrom(browser, userCode, '192.0.2.1');
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many wrong codes');
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);

    const other = await enterFrom(new TestBrowser(service.baseUrl), userCode, '192.0.2.2');
    expect([other.status, other.text.includes('Sign in')]).toEqual([200, true]);
    clock += 15 * 60_000;
    const later = await enterFrom(new TestBrowser(service.baseUrl), userCode, '192.0.2.1');
    expect([later.status, later.text.includes('Sign in')]).toEqual([200, true]);
  });

  it('count concurrent guesses', async () => {
    const browsers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const browser = new TestBrowser(service.baseUrl);
        browser.comesFrom('192.0.2.3');
        await browser.open('/oauth/device');
        return browser;
      }),
    );

    const pages = await Promise.all(
      browsers.map((browser) => browser.submit('Continue', { user_code: 'BCDF-GHJK' })),
    );

    expect(pages.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  it('do not count right codes', async () => {
    const browser = new TestBrowser(service.baseUrl);
    for (let turn = 0; turn <= 20; turn += 1) {
      const { userCode } = await startDevice(service.baseUrl);
      expect((await enterFrom(browser, userCode, '192.0.2.4')).status).toBe(200);
    }
  });

  it('stop password guesses per user and address', async () => {
    const browser = new TestBrowser(service.baseUrl);
    browser.comesFrom('192.0.2.5');
    await browser.open('/settings');
    const { username, password } = service.demo;
    for (let guess = 0; guess < 10; guess += 1) {
      const page = await browser.submit('Sign in', { username, password: 'wrong' });
      expect(page.status).toBe(401);
    }

    const refused = await browser.submit('Sign in', { username, password });

    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many attempts to sign in. Try again in 15 minutes.');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = await openSettings(service, service.demo);
    expect(elsewhere.page.status).toBe(200);
  });

  it.each([
    '/settings/sign-in',
    '/oauth/device',
    '/api/oauth/token',
    '/api/oauth/device_authorization',
  ])('refuse a large body at %s', async (path) => {
    const body = new URLSearchParams({ client_id: 'x'.repeat(100_000) });

    const answer = await fetch(service.baseUrl + path, { method: 'POST', body });

    expect(answer.status).toBe(413);
  });

  it('remove abandoned uploads only', async () => {
    const { accessToken } = await service.connect();
    const creation = { length: 100 };
    const [forgotten, slow, finished] = [
      locationOf(service.baseUrl, await create(service.baseUrl, accessToken, creation)),
      locationOf(service.baseUrl, await create(service.baseUrl, accessToken, creation)),
      await create(service.baseUrl, accessToken, { length: 10, body: photo(10, 9) }),
    ];
    expect(finished.status).toBe(201);
    await patch(forgotten, accessToken, 0, photo(10));
    clock += 4 * 24 * 3600_000;
    await patch(slow, accessToken, 0, photo(10));
    clock += 4 * 24 * 3600_000;

    await service.purge();

    // The purge removed the old tokens as well.
    const { accessToken: token } = await service.connect();
    expect((await head(forgotten, token)).status).toBe(404);
    expect(await offsetOf(slow, token)).toBe(10);
    const { body } = await listUploads(service.baseUrl, token);
    expect(body['uploads']).toEqual([expect.objectContaining({ sha256: sha256(photo(10, 9)) })]);
  });

  it('report on /healthz whether the database responds', async () => {
    const other = await startTestService();
    const well = await fetch(`${other.baseUrl}/healthz`);
    expect(well.status).toBe(200);
    expect(await well.json()).toEqual({ status: 'ok' });

    other.breakDatabase();

    const ill = await fetch(`${other.baseUrl}/healthz`);
    expect(ill.status).toBe(503);
    expect(await ill.json()).toEqual({ status: 'unavailable' });
    await other.close();
  });
});

describe('the address of a client', () => {
  const request = (direct: string, forwarded?: string): IncomingMessage =>
    ({
      socket: { remoteAddress: direct },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    }) as unknown as IncomingMessage;

  it.each([
    [0, '198.51.100.1', '192.0.2.1', '198.51.100.1'],
    [1, '198.51.100.1', '192.0.2.1', '192.0.2.1'],
    [1, '198.51.100.1', 'claimed, 192.0.2.1', '192.0.2.1'],
    [2, '198.51.100.1', 'claimed, 192.0.2.1, 203.0.113.5', '192.0.2.1'],
    [1, '198.51.100.1', undefined, '198.51.100.1'],
    [0, '::ffff:198.51.100.1', undefined, '198.51.100.1'],
    [0, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
    [0, '2001:db8::6', undefined, '2001:db8:0:0'],
    [0, 'fe80::1%eth0', undefined, 'fe80:0:0:0'],
    [1, '198.51.100.1', '192.0.2.1:443', '192.0.2.1'],
    [1, '198.51.100.1', '[2001:DB8:1:2::3]:443', '2001:db8:1:2'],
    [1, '198.51.100.1', '::ffff:c000:201', '192.0.2.1'],
    [1, '198.51.100.1', 'unknown', '198.51.100.1'],
    [1, '198.51.100.1', '_hidden:_port', '198.51.100.1'],
    [1, '198.51.100.1', '192.0.2.1,', '198.51.100.1'],
    [1, '198.51.100.1', '010.0.2.1', '198.51.100.1'],
    [2, '198.51.100.1', 'claimed', '198.51.100.1'],
  ])(
    'behind %i proxies, from %s, forwarded for %s, is %s',
    (proxies, direct, forwarded, address) => {
      expect(clientAddress(proxies)(request(direct, forwarded))).toBe(address);
    },
  );

  it.each([
    ['192.0.2.77', ['192.0.2.0/24']],
    ['2001:db8:1:2ff', ['2001:db8:1:200/56', '2001:db8:1/48']],
    ['', []],
  ])('%j is in the networks %j', (address, networks) => {
    expect(widerNetworks(address)).toEqual(networks);
  });
});
