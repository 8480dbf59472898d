import { beforeEach, describe, expect, it } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TrustedDevices } from '../../../service/identity/passwords/trusted-devices.js';
import { CsrfTokens } from '../../../service/identity/csrf/csrf.js';

const DAY_MS = 24 * 3600 * 1000;

describe('a browser after a sign-in', () => {
  let clock: number;
  const now = (): Date => new Date(clock);
  const browsers = new TrustedDevices(new CsrfTokens('the key'), true, now);

  beforeEach(() => {
    clock = Date.parse('2026-01-01T00:00:00Z');
  });

  /** A request with this cookie. */
  function request(cookie?: string): IncomingMessage {
    const one = new IncomingMessage(new Socket());
    if (cookie !== undefined) one.headers.cookie = `__Host-cws_known=${cookie}`;
    return one;
  }

  /** The `Set-Cookie` header of this user's sign-in. */
  function header(user: string, cookie?: string, from = browsers): string {
    const asked = request(cookie);
    const response = new ServerResponse(asked);
    from.remember(asked, response, user, 'hash of the password');
    return String(response.getHeader('Set-Cookie'));
  }

  function signIn(user: string, cookie?: string): string {
    return /^__Host-cws_known=([^;]*);/.exec(header(user, cookie))?.[1] ?? '';
  }

  const isKnown = (user: string, cookie: string): boolean =>
    browsers.find(request(cookie), user) !== undefined;

  it('recognizes the browser for its user only', () => {
    const cookie = signIn('ann');
    expect(browsers.find(request(cookie), 'ann')).toMatchObject({
      nonce: expect.stringMatching(/^[\w-]{22}$/),
      epoch: browsers.epochOf('hash of the password'),
    });
    expect(isKnown('bob', cookie)).toBe(false);
    expect(browsers.find(request(), 'ann')).toBeUndefined();
  });

  it('changes the cookie after each sign-in', () => {
    const first = signIn('ann');
    const second = signIn('ann', first);
    expect(browsers.find(request(second), 'ann')?.nonce).not.toBe(
      browsers.find(request(first), 'ann')?.nonce,
    );
    expect(second.split('~')).toHaveLength(1);
  });

  it('is trusted for its last four users, newest first', () => {
    let cookie = '';
    for (const user of ['ann', 'bob', 'cid', 'dan']) cookie = signIn(user, cookie);
    expect(['ann', 'bob', 'cid', 'dan'].map((user) => isKnown(user, cookie))).toEqual(
      Array(4).fill(true),
    );
    cookie = signIn('eve', cookie);
    expect(isKnown('ann', cookie)).toBe(false);
    expect(['bob', 'cid', 'dan', 'eve'].map((user) => isKnown(user, cookie))).toEqual(
      Array(4).fill(true),
    );
    cookie = signIn('bob', cookie);
    cookie = signIn('ann', cookie);
    expect(isKnown('cid', cookie)).toBe(false);
    expect(isKnown('bob', cookie)).toBe(true);
  });

  it('recognizes the browser for 400 days', () => {
    const cookie = signIn('ann');
    clock += 400 * DAY_MS - 1000;
    expect(isKnown('ann', cookie)).toBe(true);
    clock += 1000;
    expect(isKnown('ann', cookie)).toBe(false);
  });

  it('keeps its cookie as long, HttpOnly and, over https, Secure', () => {
    expect(header('ann').split('; ').slice(1)).toEqual([
      'Path=/',
      `Max-Age=${400 * 24 * 3600}`,
      'HttpOnly',
      'SameSite=Lax',
      'Secure',
    ]);
    const plain = new TrustedDevices(new CsrfTokens('the key'), false, now);
    expect(header('ann', undefined, plain)).toMatch(/SameSite=Lax$/);
  });

  it.each<[string, (entry: string) => string]>([
    ['of another key', () => forged('another key')],
    ['with another time', (entry) => entry.replace(/^\d+/, (time) => String(Number(time) + 1))],
    ['with another nonce', (entry) => entry.replace(/\.[\w-]{22}\./, `.${'A'.repeat(22)}.`)],
    [
      'with another epoch',
      (entry) => entry.replace(/\.[\w-]{22}(\.[\w-]{43})$/, `.${browsers.epochOf('another')}$1`),
    ],
    ['with more before it', (entry) => `x${entry}`],
    ['with more after it', (entry) => `${entry}x`],
    ['without its code', (entry) => entry.replace(/\.[^.]*$/, '.')],
    ['after four of others', (entry) => `${'x~'.repeat(4)}${entry}`],
  ])('is not trusted by an entry %s', (_name, change) => {
    expect(isKnown('ann', change(signIn('ann')))).toBe(false);
  });

  it('is trusted by a valid entry among broken ones', () => {
    expect(isKnown('ann', `x~~${signIn('ann')}`)).toBe(true);
  });

  function forged(key: string): string {
    const other = new TrustedDevices(new CsrfTokens(key), true, now);
    return /^__Host-cws_known=([^;]*);/.exec(header('ann', undefined, other))?.[1] ?? '';
  }
});
