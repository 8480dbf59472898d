import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../support/browser-client.js';
import { addUser } from '../support/users.js';
import { startTestService } from '../support/running-service.js';
import type { TestService } from '../support/running-service.js';
import {
  browserAt,
  connectFrom,
  DEMO_ACCOUNT_FIELDS,
  guessCodes,
  guessPasswords,
  openSignIn,
  signInFrom,
  spend,
  useServiceBehindProxy,
  tally,
} from './anonymous-clients.js';

describe('an anonymous client that tries to lock others out', () => {
  const service = useServiceBehindProxy();
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
  });

  it("uses up only the attacker's own limit of wrong codes", async () => {
    expect(tally(await guessCodes(service, '203.0.113.1', 21))).toEqual({ 400: 20, 429: 1 });
    // So many more, all refused at once, that with them the network would count as one that attacks.
    const again = async (): Promise<void> => {
      for (let turn = 0; turn < 9; turn += 1) {
        const response = await fetch(`${service.baseUrl}/oauth/device`, {
          method: 'POST',
          body: new URLSearchParams({ user_code: 'BCDF-GHJK' }),
          headers: { 'x-forwarded-for': '203.0.113.1', accept: 'text/html' },
        });
        await response.arrayBuffer();
        expect(response.status).toBe(429);
      }
    };
    await Promise.all(Array.from({ length: 10 }, again));

    // Not even the neighbours' allowance is smaller.
    expect(tally(await guessCodes(service, '203.0.113.2', 21))).toEqual({ 400: 20, 429: 1 });
    expect(await connectFrom(service, '198.51.100.1')).toBe(200);
  });

  it("uses up only the attacker's own limit of wrong passwords", async () => {
    const attacker = await openSignIn(service, '203.0.113.2');
    expect(tally(await guessPasswords(attacker, 'demo', 60))).toEqual({ 401: 10, 429: 50 });

    expect((await signInFrom(service, '198.51.100.2')).status).toBe(200);
    expect(await connectFrom(service, '198.51.100.3')).toBe(200);
  });

  it("cannot use up another user's limit by a similar username", async () => {
    const name = 'demo address 198.51.100.9';
    const victim = '["sign-in","demo","198.51.100.9"]';
    // No password is checked at the full cost.
    for (const username of [name, victim]) await addUser(service, {}, { username });
    await guessPasswords(await openSignIn(service, '203.0.113.3'), name, 12);
    await guessPasswords(await openSignIn(service, '203.0.113.4'), victim, 12);

    expect((await signInFrom(service, '198.51.100.9')).status).toBe(200);
  });

  // @threat U2
  it('cannot lock out a user at another address by guessing from many networks', async () => {
    // One after another in the same /48, and some elsewhere.
    const addresses = [
      ...['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:4::1'],
      ...['203.0.113.5', '203.0.113.6', '203.0.113.7', '203.0.113.8', '192.0.2.77', '192.0.2.78'],
    ];
    const attackers = await Promise.all(addresses.map((address) => openSignIn(service, address)));
    const guess = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (const [index, address] of addresses.entries()) {
        const [attacker] = attackers.slice(index);
        if (attacker !== undefined) statuses.push(...(await guessPasswords(attacker, 'demo', 1)));
        statuses.push(...(await guessCodes(service, address, 1)));
      }
      return statuses;
    };
    expect(tally(await guess())).toEqual({ 401: addresses.length, 400: addresses.length });
    // With a hundred more from each, the user and each network are under attack.
    await spend(service, 100);
    expect(tally(await guess())).toEqual({ 429: 2 * addresses.length });

    for (const own of ['198.51.100.10', '2001:db8:1:5::1', '203.0.113.9']) {
      // Not even a typing mistake is too much.
      const user = await openSignIn(service, own);
      expect(await guessPasswords(user, 'demo', 1)).toEqual([401]);
      expect((await user.submit('Sign in', DEMO_ACCOUNT_FIELDS)).status).toBe(200);
      expect(await guessCodes(service, own, 1)).toEqual([400]);
      expect(await connectFrom(service, own)).toBe(200);
    }
  });

  it('cannot lock out a known browser at a shared address', async () => {
    const shared = '203.0.113.20';
    const own = await openSignIn(service, shared);
    await own.submit('Sign in', DEMO_ACCOUNT_FIELDS);
    await own.open('/settings');
    await own.submit('Sign out');
    await guessPasswords(await openSignIn(service, shared), 'demo', 1);
    await guessCodes(service, shared, 1);
    await spend(service, 20);
    expect((await signInFrom(service, shared)).status).toBe(429);

    await own.open('/settings/sign-in');
    expect((await own.submit('Sign in', DEMO_ACCOUNT_FIELDS)).status).toBe(200);
    expect(own.page.text).toContain('Demo Studio');

    // Signed-in users have their own allowance for codes, not that of the address.
    expect(await guessCodes(service, shared, 1)).toEqual([429]);
    expect(await connectFrom(service, shared, own)).toBe(200);
  });

  it('cannot become a known browser by a forged cookie', async () => {
    const shared = '203.0.113.21';
    const own = await openSignIn(service, shared);
    await own.submit('Sign in', DEMO_ACCOUNT_FIELDS);
    const cookie = own.cookie('cws_known');
    expect(cookie).not.toBe('');
    await guessPasswords(await openSignIn(service, shared), 'demo', 1);
    await spend(service, 9);

    const [issued = '', nonce = '', epoch = '', mac = ''] = cookie.split('.');
    const forgeries = [
      [issued, 'A'.repeat(22), epoch, mac].join('.'),
      [String(Number(issued) + 1), nonce, epoch, mac].join('.'),
      [issued, nonce, epoch, ''].join('.'),
      [issued, nonce].join('.'),
    ];
    for (const forged of forgeries) {
      const form = await openSignIn(service, shared);
      const response = await fetch(`${service.baseUrl}/settings/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ ...form.page.form?.fields, ...DEMO_ACCOUNT_FIELDS }),
        headers: {
          cookie: `cws_form=${form.cookie('cws_form')}; cws_form.sig=${form.cookie('cws_form.sig')}; cws_known=${forged}`,
          'x-forwarded-for': shared,
        },
      });
      expect(response.status).toBe(429);
    }

    // A valid cookie is for its own user only, and for a limited number of wrong passwords.
    await addUser(service, {}, { username: 'somebody else' });
    expect(tally(await guessPasswords(await reopened(own), 'somebody else', 11))[429]).toBe(1);
    expect(tally(await guessPasswords(await reopened(own), 'demo', 11))).toEqual({
      401: 10,
      429: 1,
    });
  });

  const reopened = async (browser: TestBrowser): Promise<TestBrowser> => {
    await browser.open('/settings');
    if (browser.page.text.includes('Sign out')) await browser.submit('Sign out');
    await browser.open('/settings/sign-in');
    return browser;
  };
});

describe('an address in X-Forwarded-For', () => {
  const service = useServiceBehindProxy();
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
  });

  /**
   * The status of each of eight wrong codes in one browser, after the first of which it is as if there had been fourteen
   * more; `addressOf` gives the address in the header. Of an address that is taken for another one, more are let through.
   */
  const guessCodesFrom = async (
    target: TestService,
    addressOf: (turn: number) => string,
  ): Promise<number[]> => {
    const browser = browserAt(target, '203.0.113.43');
    const first = await browser.open('/oauth/device');
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      browser.comesFrom(addressOf(turn));
      browser.show(first);
      statuses.push((await browser.submit('Continue', { user_code: 'BCDF-GHJK' })).status);
      if (turn === 0) await spend(target, 14);
    }
    return statuses;
  };

  it.each([
    ['with ports', (turn: number) => `203.0.113.40:${1000 + turn}`],
    ['of IPv6 with ports', (turn: number) => `[2001:db8:2::1]:${1000 + turn}`],
    ['of one IPv6 network', (turn: number) => `2001:db8:3:0:${(turn + 1).toString(16)}::1`],
    [
      'written in different ways',
      (turn: number) =>
        ['203.0.113.41', '::ffff:203.0.113.41', '::FFFF:cb00:7129', '[::ffff:203.0.113.41]:80'][
          turn % 4
        ] ?? '',
    ],
    [
      'of IPv6 written in different ways',
      (turn: number) =>
        ['2001:DB8:4::1', '2001:db8:4:0:0::1', '2001:0db8:0004::2%eth0', '"[2001:db8:4::3]"'][
          turn % 4
        ] ?? '',
    ],
    [
      'that is none',
      (turn: number) => ['unknown', '_hidden', 'x'.repeat(turn + 1)][turn % 3] ?? '',
    ],
    ['behind claims of the client', (turn: number) => `198.51.100.${turn}, 203.0.113.42`],
  ])('%s is one address', async (_name, address) => {
    expect(tally(await guessCodesFrom(service, address))).toEqual({ 400: 6, 429: 2 });
  });

  // @threat C4
  it('is ignored when it has fewer entries than proxies', async () => {
    const other = await startTestService({ trustedProxies: 2 });
    try {
      const claimed = (turn: number): string => `203.0.113.${turn}`;
      expect(tally(await guessCodesFrom(other, claimed))).toEqual({ 400: 6, 429: 2 });
    } finally {
      await other.close();
    }
  });
});
