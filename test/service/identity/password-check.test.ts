import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Accounts, setPasswordHash } from '../../../service/identity/accounts/accounts.js';
import { TrustedDevices } from '../../../service/identity/passwords/trusted-devices.js';
import { hashPassword } from '../../../service/kernel/password-hash.js';
import {
  PasswordCheck,
  type PasswordResult,
} from '../../../service/identity/passwords/password-check.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { RateLimiter } from '../../../service/kernel/rate-limit/rate-limiter.js';
import { CsrfTokens } from '../../../service/identity/csrf/csrf.js';
import { CHEAP, openMigratedDatabase } from '../support/database-templates.js';

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 3600_000;

describe('a wrong password', () => {
  let database: Database;
  let check: PasswordCheck;
  let clock = Date.parse('2026-01-01T00:00:00Z');
  const users = Array.from({ length: 12 }, (_, number) => `person-${number}`);

  beforeAll(async () => {
    database = await openMigratedDatabase();
    await database.query(
      `INSERT INTO accounts (id, username, display_name, password_hash)
       SELECT 'person-' || n, 'person-' || n, 'Person', $1 FROM generate_series(0, $2::int) AS n`,
      [await hashPassword('right', CHEAP), users.length - 1],
    );
    const now = (): Date => new Date(clock);
    check = new PasswordCheck({
      accounts: new Accounts(database),
      limit: new RateLimiter(database, now),
      addressOf: (request) => String(request.headers['x-address']),
      trustedDevices: new TrustedDevices(new CsrfTokens('the key'), false, now),
    });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query('DELETE FROM attempts');
    clock += DAY_MS;
  });

  /** @param cookie what the browser keeps from an earlier sign-in */
  async function attempt(
    username: string,
    password: string,
    address: string,
    cookie?: string,
  ): Promise<{ result: PasswordResult; cookie: string }> {
    const request = new IncomingMessage(new Socket());
    request.headers['x-address'] = address;
    if (cookie !== undefined) request.headers.cookie = cookie;
    const response = new ServerResponse(request);
    const result = await check.attempt(username, password, { request, response });
    return { result, cookie: /^[^;]*/.exec(String(response.getHeader('Set-Cookie')))?.[0] ?? '' };
  }

  /** How many wrong passwords are let through before one is refused, and for how long that is. */
  async function guess(
    username: string,
    address: string,
    cookie?: string,
  ): Promise<readonly [through: number, waitSeconds: number | undefined]> {
    for (let through = 0; ; through += 1) {
      const { result } = await attempt(username, 'wrong', address, cookie);
      if (!('status' in result)) throw new Error('signed in');
      if (result.status === 429) return [through, result.retryAfterSeconds];
      expect(result.status).toBe(401);
    }
  }

  async function attempts(count: number, username: string, address: string): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await attempt(username, 'wrong', address);
  }

  it('is allowed ten times per quarter of an hour and thirty times a day from one address', async () => {
    for (const waitMs of [QUARTER_MS, QUARTER_MS, DAY_MS - 2 * QUARTER_MS]) {
      expect(await guess('person-0', '192.0.2.1')).toEqual([10, waitMs / 1000]);
      clock += QUARTER_MS;
    }
    expect(await guess('person-0', '192.0.2.1')).toEqual([0, (DAY_MS - 3 * QUARTER_MS) / 1000]);
    expect(await guess('person-1', '192.0.2.1')).toEqual([10, 900]);
    expect(await guess('person-0', '192.0.2.2')).toEqual([10, 900]);
  });

  it('is counted for the user in every spelling of the name', async () => {
    for (const name of ['person-0', ' Person-0', 'PERSON-0 '])
      await attempt(name, 'wrong', '192.0.2.1');
    expect((await guess('person-0', '192.0.2.1'))[0]).toBe(7);
  });

  it('is allowed three times, and five a day, per address once a user is under attack', async () => {
    await attempts(3, 'person-0', '10.0.6.1');
    for (const network of [1, 2, 3, 4]) await guess('person-0', `10.0.${network}.1`);
    await attempts(7, 'person-0', '10.0.5.1');
    // Fifty are no attack yet.
    expect((await guess('person-0', '10.0.6.1'))[0]).toBe(1);
    expect(await guess('person-0', '10.0.7.1')).toEqual([3, 900]);
    clock += QUARTER_MS;
    expect((await guess('person-0', '10.0.7.1'))[0]).toBe(2);
    expect((await guess('person-1', '10.0.7.1'))[0]).toBe(10);
  });

  it('is allowed three times per user and ten in all from each address of an attacking network', async () => {
    await attempts(3, 'person-5', '10.1.1.3');
    for (const user of users.slice(0, 5)) await guess(user, '10.1.1.1');
    for (const user of users.slice(0, 4)) await guess(user, '10.1.1.2');
    await attempts(7, 'person-4', '10.1.1.2');
    // A hundred are no attack yet.
    expect((await guess('person-5', '10.1.1.3'))[0]).toBe(1);
    const through: number[] = [];
    for (const user of users.slice(6, 11)) through.push((await guess(user, '10.1.1.4'))[0]);
    expect(through).toEqual([3, 3, 3, 1, 0]);
    expect((await guess('person-11', '10.1.2.1'))[0]).toBe(10);
  });

  it('is allowed fifty times from one address for all users', async () => {
    const through: number[] = [];
    for (const user of users.slice(0, 7)) through.push((await guess(user, '10.2.1.1'))[0]);
    expect(through).toEqual([10, 10, 10, 10, 10, 0, 0]);
  });

  it('does not include a right password in any spelling of the name', async () => {
    for (const name of [' person-0', 'person-0 ', 'PERSON-0']) {
      const { result } = await attempt(name, 'right', '192.0.2.1');
      expect(result).toMatchObject({ account: { username: 'person-0' } });
    }
  });

  it('is the only attempt that counts: right passwords are refunded', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const { result } = await attempt('person-0', 'right', '192.0.2.1');
      expect(result).toMatchObject({ account: { username: 'person-0' } });
    }
    expect((await guess('person-0', '192.0.2.1'))[0]).toBe(10);
  });

  it('has a separate count in a trusted browser', async () => {
    const { cookie } = await attempt('person-0', 'right', '192.0.2.1');
    expect(await guess('person-0', '192.0.2.1')).toEqual([10, 900]);
    for (const waitMs of [QUARTER_MS, QUARTER_MS, DAY_MS - 2 * QUARTER_MS]) {
      expect(await guess('person-0', '192.0.2.1', cookie)).toEqual([10, waitMs / 1000]);
      clock += QUARTER_MS;
    }
    const wait = (DAY_MS - 3 * QUARTER_MS) / 1000;
    expect(await guess('person-0', '192.0.2.1', cookie)).toEqual([0, wait]);
    // It is valid for this user only.
    expect(await guess('person-1', '192.0.2.3', cookie)).toEqual([10, 900]);
  });

  it('in a browser that was trusted under an earlier password counts like in any other', async () => {
    const { cookie } = await attempt('person-9', 'right', '192.0.2.1');
    expect(await guess('person-9', '192.0.2.1')).toEqual([10, 900]);
    await setPasswordHash(database, 'person-9', { to: await hashPassword('right', CHEAP) });
    expect((await guess('person-9', '192.0.2.1', cookie))[0]).toBe(0);
    const { cookie: renewed } = await attempt('person-9', 'right', '192.0.2.2', cookie);
    expect((await guess('person-9', '192.0.2.1', renewed))[0]).toBe(10);
  });

  it('is allowed thirty times a day in all trusted browsers of a user', async () => {
    const cookies: string[] = [];
    for (let turn = 0; turn < 5; turn += 1)
      cookies.push((await attempt('person-8', 'right', '192.0.2.1')).cookie);
    await guess('person-8', '192.0.2.1');
    const through: number[] = [];
    for (const cookie of cookies) through.push((await guess('person-8', '192.0.2.1', cookie))[0]);
    expect(through).toEqual([10, 10, 10, 0, 0]);
    const { result } = await attempt('person-8', 'right', '198.51.100.1', cookies[4]);
    expect(result).toHaveProperty('account');
  });

  it('from trusted browsers of one user is checked in one queue', async () => {
    const cookies: string[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      cookies.push((await attempt('person-7', 'right', '192.0.2.1')).cookie);
    const flood = cookies.flatMap((cookie) =>
      Array.from({ length: 10 }, () => attempt('person-7', 'wrong', '192.0.2.1', cookie)),
    );
    const statuses = (await Promise.all(flood)).map(({ result }) =>
      'status' in result ? result.status : 200,
    );
    expect(statuses).toContain(503);
  });

  it.each([
    ['a name of 257 characters', 'x'.repeat(257), 'wrong'],
    ['a password of 1025 characters', 'person-0', 'x'.repeat(1025)],
    ['a control character in the name', 'person\u0000-0', 'wrong'],
  ])('with %s is refused without being counted', async (_what, username, password) => {
    const { result } = await attempt(username, password, '192.0.2.1');
    expect(result).toMatchObject({ status: 401 });
    expect(await database.query('SELECT * FROM attempts')).toEqual([]);
  });

  it('of the maximum length is checked like any other', async () => {
    await attempt('x'.repeat(256), 'wrong', '192.0.2.1');
    const longest = 'x'.repeat(1024);
    await database.query('UPDATE accounts SET password_hash = $1 WHERE username = $2', [
      await hashPassword(longest, CHEAP),
      'person-11',
    ]);
    const { result } = await attempt('person-11', longest, '192.0.2.1');
    expect(result).toHaveProperty('account');
    expect(await database.query('SELECT * FROM attempts WHERE count = 1')).not.toEqual([]);
  });

  it('from one network does not delay sign-ins of other networks', async () => {
    const flood = Array.from({ length: 40 }, (_, number) =>
      attempt(users[number % users.length] ?? '', 'wrong', `192.0.2.${1 + (number % 2)}`),
    );
    const elsewhere = attempt('person-0', 'right', '198.51.100.1');
    expect((await elsewhere).result).toHaveProperty('account');
    const statuses = (await Promise.all(flood)).map(({ result }) =>
      'status' in result ? result.status : 200,
    );
    // The attack: more than may wait of one network.
    expect(statuses).toContain(503);
  });

  it('does not count when the database fails before the check', async () => {
    const signIn = jest
      .spyOn(Accounts.prototype, 'signIn')
      .mockRejectedValue(new UnavailableError('away'));
    await expect(attempt('person-0', 'right', '192.0.2.1')).rejects.toThrow(UnavailableError);
    signIn.mockRestore();
    expect(await database.query('SELECT * FROM attempts WHERE count > 0')).toEqual([]);
  });

  it('of a disconnected client is not checked and does not count', async () => {
    const request = new IncomingMessage(new Socket());
    request.headers['x-address'] = '192.0.2.1';
    const response = new ServerResponse(request);
    response.destroy();
    // The right password is not checked either.
    const result = await check.attempt('person-0', 'right', { request, response });
    expect(result).toMatchObject({ status: 503 });
    expect(response.getHeader('Set-Cookie')).toBeUndefined();
    expect(await database.query('SELECT * FROM attempts WHERE count > 0')).toEqual([]);
  });
});

describe('a password change during its check', () => {
  it('refuses the sign-in with the old password', async () => {
    const database = await openMigratedDatabase();
    await database.query(
      `INSERT INTO accounts (id, username, display_name, password_hash) VALUES ('anna', 'anna', 'Anna', $1)`,
      [await hashPassword('old', CHEAP)],
    );
    const to = await hashPassword('new', CHEAP);
    // Between the read at the start of the check and the comparison.
    const changing: Database = {
      ...database,
      query: async (sql, params) => {
        const rows = await database.query(sql, params);
        await setPasswordHash(database, 'anna', { to });
        return rows as never;
      },
    };
    expect(await new Accounts(database).signIn('anna', 'old')).toMatchObject({ id: 'anna' });
    expect(await new Accounts(changing).signIn('anna', 'old')).toBeUndefined();
    expect(await new Accounts(database).signIn('anna', 'new')).toMatchObject({ id: 'anna' });
    await database.close();
  });
});
