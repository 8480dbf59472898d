import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Accounts } from '../../../service/identity/accounts/accounts.js';
import type { TestBrowser } from '../support/browser-client.js';
import { addUser } from '../support/users.js';
import { create, locationOf, patch, photo } from '../support/tus-client.js';
import { until } from './raw.js';
import {
  DEMO_ACCOUNT_FIELDS,
  guessCodes,
  guessPasswords,
  openSignIn,
  requestDeviceFrom,
  signInFrom,
  spend,
  useServiceBehindProxy,
  tally,
} from './anonymous-clients.js';

describe('guessing', () => {
  let clock = Date.now();

  const service = useServiceBehindProxy(() => new Date(clock));
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    // A recent refusal is repeated from memory.
    clock += 10_000;
  });

  const guessAt = async (address: string, username: string, times: number): Promise<number[]> =>
    guessPasswords(await openSignIn(service, address), username, times);

  // @threat U1
  it('limits guesses of one password from many networks to a few in each', async () => {
    for (const network of [1, 2, 3, 4, 5]) {
      expect(tally(await guessAt(`192.0.${network}.1`, 'demo', 11))).toEqual({ 401: 10, 429: 1 });
    }
    // Fifty tries are spent; this one makes an attack of them.
    expect(await guessAt('192.0.6.1', 'demo', 1)).toEqual([401]);

    expect(tally(await guessAt('192.0.7.1', 'demo', 5))).toEqual({ 401: 3, 429: 2 });
    expect(tally(await guessAt('2001:db8:7::1', 'demo', 5))).toEqual({ 401: 3, 429: 2 });
    // Other users are not under attack, so nothing changes for them.
    const { username } = await addUser(service, {});
    expect(tally(await guessAt('192.0.8.1', username, 11))).toEqual({ 401: 10, 429: 1 });
    // A quarter of an hour later the attack is still known.
    clock += 16 * 60_000;
    expect(tally(await guessAt('192.0.7.1', 'demo', 3))).toEqual({ 401: 2, 429: 1 });
    // The user can sign in, here as well as there.
    expect((await signInFrom(service, '198.51.100.1')).status).toBe(200);
    expect((await signInFrom(service, '192.0.7.2')).status).toBe(200);
    clock += 24 * 3600_000;
  });

  it('limits guesses of many users’ passwords from one address', async () => {
    const browser = await openSignIn(service, '192.0.2.1');
    const statuses: number[] = [];
    const signIn = browser.page;
    for (let turn = 0; turn < 14; turn += 1) {
      // No password is checked at the full cost.
      const { username } = await addUser(service, {});
      browser.show(signIn);
      statuses.push((await browser.submit('Sign in', { username, password: 'wrong' })).status);
      // Ten were counted; those of 38 more users are added.
      if (turn === 9) await spend(service, 38);
    }
    expect(tally(statuses)).toEqual({ 401: 12, 429: 2 });
    expect((await signInFrom(service, '192.0.2.2')).status).toBe(200);
  });

  // @threat C9
  it('limits guesses of codes from many addresses of one network to a few in each', async () => {
    for (const subnet of [1, 2, 3, 4, 5]) {
      expect(await guessCodes(service, `2001:db8:1:${subnet}::1`, 1)).toEqual([400]);
    }
    // Five were counted in their network; with all that each may try they are a hundred.
    await service.database.query('UPDATE attempts SET count = 100 WHERE count = 5');
    expect(await guessCodes(service, '2001:db8:1:6::1', 1)).toEqual([400]);

    expect(tally(await guessCodes(service, '2001:db8:1:7::1', 7))).toEqual({ 400: 5, 429: 2 });
    expect(tally(await guessCodes(service, '2001:db8:2::1', 21))).toEqual({ 400: 20, 429: 1 });
  });

  it('does not reveal whether a code is right after the limit is used up', async () => {
    const address = '192.0.2.10';
    const { body } = await requestDeviceFrom(service, address);
    await guessCodes(service, address, 1);
    await spend(service, 19);
    const browser = await openSignIn(service, address);
    await browser.open('/oauth/device');

    const page = await browser.submit('Continue', { user_code: String(body['user_code']) });

    expect(page.status).toBe(429);
    expect(page.text).toContain('Too many wrong codes. Sign in to Settings first');
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('hashes nothing for overlong names and passwords', async () => {
    const browser = await openSignIn(service, '192.0.2.11');
    const signIn = browser.page;
    for (const fields of [
      { username: 'x'.repeat(257), password: 'wrong' },
      { username: 'demo', password: 'x'.repeat(1025) },
      { username: 'a\u0001b', password: 'wrong' },
    ]) {
      browser.show(signIn);
      expect((await browser.submit('Sign in', fields)).status).toBe(401);
    }
    expect(await service.database.query('SELECT * FROM attempts WHERE count > 1')).toEqual([]);
  });

  /** Sends a wrong sign-in from each of these browsers at the same time. */
  const guessAtOnce = (
    browsers: readonly TestBrowser[],
    onAnswer: (status: number) => void,
  ): Promise<unknown> =>
    Promise.all(
      browsers.map(async (browser, index) => {
        const fields = { username: `nobody-${index}`, password: 'wrong' };
        onAnswer((await browser.submit('Sign in', fields)).status);
      }),
    );

  /** Delays password checks of attackers until release; other checks run as usual. */
  interface HeldChecks {
    /** The names whose passwords are being checked, or were, in the order in which that began. */
    readonly begun: readonly string[];
    readonly letGo: () => void;
  }

  /** Makes each check of a password for `nobody-…` hold one of Node's threads, as the hash does that it needs. */
  const holdChecks = (): HeldChecks => {
    // A reader of the pipe waits for a writer.
    const pipe = path.join(service.dataDir, `held-${clock}`);
    execFileSync('mkfifo', [pipe]);
    const begun: string[] = [];
    // oxlint-disable-next-line typescript/unbound-method -- called with its object below
    const { signIn } = Accounts.prototype;
    jest.spyOn(Accounts.prototype, 'signIn').mockImplementation(async function (
      this: Accounts,
      ...given
    ) {
      begun.push(given[0]);
      if (!given[0].startsWith('nobody-')) return signIn.apply(this, given);
      await (await open(pipe, 'r')).close();
      return undefined;
    });
    let writer: number | undefined;
    const letGo = (): void => {
      writer ??= openSync(pipe, 'r+');
    };
    releases.push(() => {
      letGo();
      if (writer !== undefined) closeSync(writer);
    });
    return { begun, letGo };
  };
  const releases: (() => void)[] = [];
  afterEach(() => {
    for (const release of releases.splice(0)) release();
  });

  // @threat U1
  it('does not block uploads while many clients guess at the same time', async () => {
    const { accessToken } = await service.connect();
    const location = locationOf(
      service.baseUrl,
      await create(service.baseUrl, accessToken, { length: 1000 }),
    );
    const browsers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => openSignIn(service, `192.0.${index}.9`)),
    );
    const { begun, letGo } = holdChecks();
    const answers: number[] = [];
    const guesses = guessAtOnce(browsers, (status) => answers.push(status));
    await until(() => begun.length > 1);

    const patched = patch(location, accessToken, 0, photo(1000));
    // With no thread left, it would take until the checks are over.
    const isInTime = await Promise.race([
      patched.then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 60_000, false).unref()),
    ]);
    expect([isInTime, begun.length, answers]).toEqual([true, 2, []]);
    expect((await patched).status).toBe(204);

    letGo();
    await guesses;
    expect(tally(answers)).toEqual({ 401: 24 });
  });

  it('delays only the network whose clients guess passwords', async () => {
    const browsers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => openSignIn(service, `192.0.2.${index}`)),
    );
    const control = await openSignIn(service, '198.51.100.20');
    const { begun, letGo } = holdChecks();
    const answers: number[] = [];
    const guesses = guessAtOnce(browsers, (status) => answers.push(status));
    // Two are being checked, and eighteen wait.
    await until(() => answers.length === 20);
    expect(tally(answers)).toEqual({ 503: 20 });

    const counted = async (): Promise<number> =>
      (await service.database.query('SELECT key FROM attempts')).length;
    const before = await counted();
    const page = control.submit('Sign in', DEMO_ACCOUNT_FIELDS);
    // It is counted when it comes into the line.
    await until(async () => (await counted()) > before);
    letGo();

    expect((await page).status).toBe(200);
    await guesses;
    // The last one to come is not the last one to be let in.
    expect(begun.indexOf(DEMO_ACCOUNT_FIELDS.username)).toBeLessThan(5);
    expect(begun).toHaveLength(21);
    expect(tally(answers)).toEqual({ 401: 20, 503: 20 });
  });
});
