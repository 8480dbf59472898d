import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../browser.js';
import { addPerson } from '../people.js';
import type { TestService } from '../running.js';
import { create, locationOf, patch, photo } from '../tus.js';
import {
  DEMO_ACCOUNT_FIELDS,
  guessCodes,
  guessPasswords,
  openSignIn,
  requestDeviceFrom,
  signInFrom,
  startBehindProxy,
  tally,
} from './strangers.js';

describe('guessing', () => {
  let service: TestService;
  let clock = Date.now();

  beforeAll(async () => {
    service = await startBehindProxy(() => new Date(clock));
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    // What was refused a moment ago is refused out of memory.
    clock += 10_000;
  });

  const guessAt = async (address: string, username: string, times: number): Promise<number[]> =>
    guessPasswords(await openSignIn(service, address), username, times);

  it('of one password from many networks gets fewer tries in each, but some', async () => {
    for (const network of [1, 2, 3, 4, 5]) {
      expect(tally(await guessAt(`192.0.${network}.1`, 'demo', 11))).toEqual({ 401: 10, 429: 1 });
    }
    // Fifty tries are spent; this one makes an attack of them.
    expect(await guessAt('192.0.6.1', 'demo', 1)).toEqual([401]);

    expect(tally(await guessAt('192.0.7.1', 'demo', 5))).toEqual({ 401: 3, 429: 2 });
    expect(tally(await guessAt('2001:db8:7::1', 'demo', 5))).toEqual({ 401: 3, 429: 2 });
    // Other people are not attacked, so that nothing changes for them.
    const { username } = await addPerson(service, {});
    expect(tally(await guessAt('192.0.8.1', username, 11))).toEqual({ 401: 10, 429: 1 });
    // A quarter of an hour later the attack is still known.
    clock += 16 * 60_000;
    expect(tally(await guessAt('192.0.7.1', 'demo', 3))).toEqual({ 401: 2, 429: 1 });
    // And the person signs in, here as well as there.
    expect((await signInFrom(service, '198.51.100.1')).status).toBe(200);
    expect((await signInFrom(service, '192.0.7.2')).status).toBe(200);
    clock += 24 * 3600_000;
  });

  it('of many people’s passwords from one address comes to an end', async () => {
    const browser = await openSignIn(service, '192.0.2.1');
    const statuses: number[] = [];
    const signIn = browser.page;
    for (let turn = 0; turn < 52; turn += 1) {
      // Nobody's password would be checked at the full cost.
      const { username } = await addPerson(service, {});
      browser.show(signIn);
      statuses.push((await browser.submit('Sign in', { username, password: 'wrong' })).status);
    }
    expect(tally(statuses)).toEqual({ 401: 50, 429: 2 });
    expect((await signInFrom(service, '192.0.2.2')).status).toBe(200);
  });

  it('of codes from many addresses of one network gets fewer tries in each, but some', async () => {
    for (const subnet of [1, 2, 3, 4, 5]) {
      const address = `2001:db8:1:${subnet}::1`;
      expect(tally(await guessCodes(service, address, 21))).toEqual({ 400: 20, 429: 1 });
    }
    expect(await guessCodes(service, '2001:db8:1:6::1', 1)).toEqual([400]);

    expect(tally(await guessCodes(service, '2001:db8:1:7::1', 7))).toEqual({ 400: 5, 429: 2 });
    expect(tally(await guessCodes(service, '2001:db8:2::1', 21))).toEqual({ 400: 20, 429: 1 });
  });

  it('tells nobody whether a code is right once the allowance is used up', async () => {
    const address = '192.0.2.10';
    const { body } = await requestDeviceFrom(service, address);
    await guessCodes(service, address, 20);
    const browser = await openSignIn(service, address);
    await browser.open('/oauth/device');

    const page = await browser.submit('Continue', { user_code: String(body['user_code']) });

    expect(page.status).toBe(429);
    expect(page.text).toContain('Too many wrong codes were entered. Sign in to Settings first');
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('by names and passwords of any length costs no work', async () => {
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

  it('by many at the same time leaves uploads their way to the disk', async () => {
    const { accessToken } = await service.connect();
    const location = locationOf(
      service.baseUrl,
      await create(service.baseUrl, accessToken, { length: 1000 }),
    );
    const browsers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => openSignIn(service, `192.0.${index}.9`)),
    );
    const answers: number[] = [];
    const guesses = guessAtOnce(browsers, (status) => answers.push(status));
    while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    expect((await patch(location, accessToken, 0, photo(1000))).status).toBe(204);

    expect(answers.length).toBeLessThan(16);
    await guesses;
    expect(tally(answers)).toEqual({ 401: 24 });
  });

  it('by many of one network makes the others of that network wait, and nobody else', async () => {
    const browsers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => openSignIn(service, `192.0.2.${index}`)),
    );
    const honest = await openSignIn(service, '198.51.100.20');
    const answers: number[] = [];
    const guesses = guessAtOnce(browsers, (status) => answers.push(status));
    while (answers.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));

    const page = await honest.submit('Sign in', DEMO_ACCOUNT_FIELDS);

    expect(page.status).toBe(200);
    expect(answers.filter((status) => status === 401).length).toBeLessThan(15);
    await guesses;
    expect(answers.filter((status) => status === 503).length).toBeGreaterThan(0);
  });
});
