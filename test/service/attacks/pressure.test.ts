import { beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, makePkce } from '../support/code-flow.js';
import {
  browserAt,
  connectFrom,
  DEMO_ACCOUNT_FIELDS,
  guessCodes,
  openSignIn,
  requestDeviceFrom,
  useServiceBehindProxy,
  tally,
} from './anonymous-clients.js';

/** Two addresses of one network, and one of another. */
const NEAR = '192.0.2.1';
const NEAR_TOO = '192.0.2.2';
const FAR = '198.51.100.1';

describe('limits under attack', () => {
  let clock = Date.now();

  const service = useServiceBehindProxy(() => new Date(clock));
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    // A recent refusal is repeated from memory.
    clock += 10_000;
  });

  /**
   * Does something once from each of these addresses, and then makes it look as if it had been done so often in their
   * network (1 : 2 : 3 are the counts of an address, of the network of two of them, and of everywhere).
   */
  async function press(
    act: (address: string) => Promise<unknown>,
    counts: { network?: number; everywhere?: number },
  ): Promise<void> {
    for (const address of [NEAR, NEAR_TOO, FAR]) await act(address);
    const set = (from: number, to: number): Promise<unknown> =>
      service.database.query('UPDATE attempts SET count = $2 WHERE count = $1', [from, to]);
    await set(3, counts.everywhere ?? 3);
    await set(2, counts.network ?? 2);
  }

  describe('of wrong codes', () => {
    const guess = (address: string): Promise<unknown> => guessCodes(service, address, 1);

    it('are five per address above a thousand in all', async () => {
      await press(guess, { everywhere: 1001 });
      expect(tally(await guessCodes(service, '203.0.113.1', 7))).toEqual({ 400: 5, 429: 2 });
    });

    it('are twenty per address up to a thousand in all', async () => {
      await press(guess, { everywhere: 1000 - 20 });
      expect(tally(await guessCodes(service, '203.0.113.2', 21))).toEqual({ 400: 20, 429: 1 });
    });

    it('are zero for anonymous clients above twenty thousand in all', async () => {
      await press(guess, { everywhere: 20_001 });
      const address = '203.0.113.3';
      const outsider = browserAt(service, address);
      await outsider.open('/oauth/device');
      const page = await outsider.submit('Continue', { user_code: 'BCDF-GHJK' });
      expect(page.status).toBe(429);
      expect(page.text).toContain('Sign in to Settings first');
      expect(page.headers.get('retry-after')).toBe('900');

      const own = await openSignIn(service, address);
      await own.submit('Sign in', DEMO_ACCOUNT_FIELDS);
      expect(await connectFrom(service, address, own)).toBe(200);
      await own.open('/oauth/device');
      expect((await own.submit('Continue', { user_code: 'BCDF-GHJK' })).status).toBe(400);
    });

    it('are not zero for anonymous clients at twenty thousand in all', async () => {
      await press(guess, { everywhere: 20_000 });
      expect(await guessCodes(service, '203.0.113.4', 1)).toEqual([400]);
    });
  });

  describe('of device codes', () => {
    const ask = (address: string): Promise<unknown> => requestDeviceFrom(service, address);
    const askOften = async (address: string, times: number): Promise<Record<number, number>> => {
      const statuses: number[] = [];
      for (let turn = 0; turn < times; turn += 1)
        statuses.push((await requestDeviceFrom(service, address)).status);
      return tally(statuses);
    };

    it('are ten per address of a network above a thousand', async () => {
      await press(ask, { network: 1001 });
      expect(await askOften('192.0.2.3', 12)).toEqual({ 200: 10, 429: 2 });
      expect(await askOften('203.0.113.5', 12)).toEqual({ 200: 12 });
    });

    it('are a hundred per address of a network up to a thousand', async () => {
      await press(ask, { network: 1000 - 12 });
      expect(await askOften('192.0.2.3', 12)).toEqual({ 200: 12 });
    });

    it('are ten per address above ten thousand in all', async () => {
      await press(ask, { everywhere: 10_001 });
      expect(await askOften('203.0.113.6', 12)).toEqual({ 200: 10, 429: 2 });
    });

    it('are a hundred per address up to ten thousand in all', async () => {
      await press(ask, { everywhere: 10_000 - 12 });
      expect(await askOften('203.0.113.7', 12)).toEqual({ 200: 12 });
    });
  });

  it('of sign-in pages are thirty per address; signed-in users have their own', async () => {
    const open = async (address: string): Promise<number> => {
      const response = await fetch(service.baseUrl + authorizePath(makePkce()), {
        redirect: 'manual',
        headers: { 'x-forwarded-for': address, accept: 'text/html' },
      });
      await response.arrayBuffer();
      return response.status;
    };
    const address = '203.0.113.8';
    const own = await openSignIn(service, address);
    await own.submit('Sign in', DEMO_ACCOUNT_FIELDS);
    await service.database.query('DELETE FROM attempts');
    await press(open, { everywhere: 30_001 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 32; turn += 1) statuses.push(await open(address));
    expect(tally(statuses)).toEqual({ 303: 30, 429: 2 });

    expect((await own.open(authorizePath(makePkce()))).status).toBe(200);
  });
});
