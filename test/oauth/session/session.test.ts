import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LEASE_MS } from '../../../src/oauth/session/refresh-lease.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import type { Session } from '../../../src/oauth/session/session.js';
import type { Reaction } from '../../support/http-server.js';
import { codeOf, outcomeOf } from '../../support/outcome.js';
import {
  createOAuthFixture,
  REFRESH,
  revoked,
  tokenAnswer,
  type OAuthFixture,
} from '../fixture.js';

let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

/** A session whose token is good for another hundred seconds of its hour. */
async function nearExpiry(): Promise<Session> {
  const session = await fixture.loaded({ expiresAt: fixture.clock.now() + 3_600_000 });
  await fixture.clock.advance(3_500_000);
  return session;
}

/** Waits for the running refresh, which callers with a refused token share. */
const refreshed = (session: Session, oldToken: string): Promise<void> =>
  fixture.run(session.rejected(oldToken)).then(() => undefined);

const refreshWith = (refreshToken: string): object => ({
  ...REFRESH,
  form: {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: 'creative-workspace-plugin',
  },
});

describe('Session, ahead of expiry', () => {
  it.each([
    ['an hour: three minutes before', 3_600, 3_600 - 180],
    ['five minutes: one minute before', 300, 240],
    ['100 seconds: half of it before', 100, 50],
    ['4 seconds: half of it before', 4, 2],
  ])('starts to refresh a token that is valid for %s', async (_case, lifetimeS, freshForS) => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() + lifetimeS * 1000 });
    await fixture.clock.advance(freshForS * 1000 - 1);
    expect(await session.accessToken()).toBe('svc_at_first');
    // Nothing has begun that only takes its time.
    await fixture.clock.advance(60_000);
    expect(fixture.server.requests).toHaveLength(0);
    const begun = await fixture.loaded({ expiresAt: fixture.clock.now() + lifetimeS * 1000 });
    await fixture.clock.advance(freshForS * 1000);
    fixture.server.expect(
      refreshWith('refresh-token-1'),
      tokenAnswer(2, { expires_in: lifetimeS }),
    );
    expect(await begun.accessToken()).toBe('svc_at_first');
    await refreshed(begun, 'svc_at_first');
    expect(await begun.accessToken()).toBe('svc_at_number-2');
  });

  it.each([
    ['an hour: for its last 45 seconds', 3_600, 3_600 - 45],
    ['five minutes: for its last 15 seconds', 300, 285],
    ['4 seconds: for its last half', 4, 3.5],
  ])('does not return a token that is valid for %s', async (_case, lifetimeS, usedForS) => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() + lifetimeS * 1000 });
    await fixture.clock.advance(usedForS * 1000);
    fixture.server.expect(
      refreshWith('refresh-token-1'),
      tokenAnswer(2, { expires_in: lifetimeS }),
    );
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
  });

  it('delays no caller during a refresh while the old token is valid', async () => {
    const session = await nearExpiry();
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    const tokens = await Promise.all(Array.from({ length: 100 }, () => session.accessToken()));
    expect(new Set(tokens)).toEqual(new Set(['svc_at_first']));
    await refreshed(session, 'svc_at_first');
    expect(await session.accessToken()).toBe('svc_at_number-2');
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('retries a failed background refresh without an error', async () => {
    const session = await nearExpiry();
    fixture.server.expect(REFRESH, { status: 503 });
    expect(await session.accessToken()).toBe('svc_at_first');
    expect(await codeOf(refreshed(session, 'svc_at_first'))).toBe('CW-303');
    expect(await session.accessToken()).toBe('svc_at_first');
    expect(session.state.get()).toEqual({ kind: 'signed-in', trouble: null });
    await fixture.clock.advance(5_000);
    fixture.server.expect(REFRESH, tokenAnswer(2));
    expect(await session.accessToken()).toBe('svc_at_first');
    await refreshed(session, 'svc_at_first');
    expect(await session.accessToken()).toBe('svc_at_number-2');
  });

  it('ends the session when a background refresh gets invalid_grant', async () => {
    const session = await nearExpiry();
    fixture.server.expect(REFRESH, { status: 400, body: { error: 'invalid_grant' } });
    expect(await session.accessToken()).toBe('svc_at_first');
    expect(await codeOf(refreshed(session, 'svc_at_first'))).toBe('CW-202');
    expect(session.state.get()).toMatchObject({ kind: 'reconnect-needed' });
    expect(await codeOf(session.accessToken())).toBe('CW-202');
  });

  it('a thousand callers at the instant of expiry cause one refresh', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    const tokens = await fixture.run(
      Promise.all(Array.from({ length: 1000 }, () => session.accessToken())),
    );
    expect(new Set(tokens)).toEqual(new Set(['svc_at_number-2']));
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('never refreshes in advance when the lifetime is unknown', async () => {
    const session = await fixture.loaded({ expiresAt: null });
    await fixture.clock.advance(86_400_000);
    expect(await session.accessToken()).toBe('svc_at_first');
  });

  it('keeps the old refresh token when the response has none', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(
      refreshWith('refresh-token-1'),
      tokenAnswer(2, { refresh_token: undefined, expires_in: 1 }),
    );
    await fixture.run(session.accessToken());
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(3));
    await fixture.clock.advance(1_000);
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-3');
  });
});

describe('Session, on 401', () => {
  it('refreshes once for all callers when the refused token is the current one', async () => {
    const session = await fixture.loaded({ expiresAt: null });
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    await fixture.run(
      Promise.all([session.rejected('svc_at_first'), session.rejected('svc_at_first')]),
    );
    expect(await session.accessToken()).toBe('svc_at_number-2');
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('does nothing when there is a newer token', async () => {
    const session = await fixture.loaded({ expiresAt: null });
    await session.rejected('svc_at_of-yesterday');
    expect(await session.accessToken()).toBe('svc_at_first');
  });
});

describe('Session, when refreshing fails', () => {
  it.each<[string, Reaction, string]>([
    ['503', { status: 503 }, 'CW-303'],
    ['500', { status: 500 }, 'CW-303'],
    ['429', { status: 429 }, 'CW-303'],
    ['a cut connection', 'cut', 'CW-301'],
    ['silence', 'hang', 'CW-302'],
    ['a page in between', { status: 200, body: '<html>' }, 'CW-303'],
    ['a refusal by a proxy', { status: 403, body: '<html>' }, 'CW-303'],
    ['invalid_request', { status: 400, body: { error: 'invalid_request' } }, 'CW-303'],
    ['invalid_scope', { status: 400, body: { error: 'invalid_scope' } }, 'CW-303'],
    [
      'unsupported_grant_type',
      { status: 400, body: { error: 'unsupported_grant_type' } },
      'CW-303',
    ],
  ])('keeps the session at %s and retries later', async (_case, reaction, code) => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(REFRESH, reaction);
    expect(await codeOf(fixture.run(session.accessToken()))).toBe(code);
    expect(await codeOf(session.accessToken())).toBe('CW-303'); // too soon: nothing is sent
    expect(session.state.get().kind).toBe('signed-in');
    await fixture.clock.advance(60_000);
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
  });

  it('stops waiting for a silent service before its lease expires', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(REFRESH, 'hang');
    const begun = fixture.clock.elapsed;
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-302');
    // The limit of every request gives the same code, but later than this.
    expect(fixture.clock.elapsed - begun).toBeLessThan(LEASE_MS);
  });

  it('continues with the old token while it is valid', async () => {
    const session = await fixture.loaded({
      expiresAt: fixture.clock.now() + 100_000,
      obtainedAt: fixture.clock.now(),
    });
    await fixture.clock.advance(60_000);
    fixture.server.expect(REFRESH, { status: 503 });
    expect(await fixture.run(session.accessToken())).toBe('svc_at_first');
    await fixture.clock.advance(100_000);
    fixture.server.expect(REFRESH, { status: 503 });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-303');
  });

  it.each([400, 401, 200])(
    'ends the session at invalid_grant with status %d, also after a restart',
    async (status) => {
      const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
      fixture.server.expect(REFRESH, { status, body: { error: 'invalid_grant' } });
      expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-202');
      expect(session.state.get()).toMatchObject({
        kind: 'reconnect-needed',
        error: { code: 'CW-202' },
      });
      expect(await codeOf(session.accessToken())).toBe('CW-202');
      expect(fixture.stored()).not.toContain('svc_at_');
      const next = fixture.session();
      await next.load();
      expect(next.state.get().kind).toBe('reconnect-needed');
    },
  );

  it.each([
    [401, 'invalid_client'],
    [400, 'invalid_client'],
    [400, 'unauthorized_client'],
    [200, 'unauthorized_client'],
  ])(
    'keeps the session at %d %s, retries slowly, and works again when the client is known',
    async (status, word) => {
      const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
      fixture.server.otherwise({ status, body: { error: word } });
      const end = fixture.clock.elapsed + 600_000;
      while (fixture.clock.elapsed < end) {
        expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-303');
        await fixture.clock.advance(1_000);
      }
      expect(fixture.server.requests.length).toBeGreaterThan(3);
      expect(fixture.server.requests.length).toBeLessThan(10);
      expect(session.state.get().kind).toBe('signed-in');
      expect(fixture.stored()).toContain('refresh-token-1');
      fixture.server.otherwise(tokenAnswer(2));
      await fixture.clock.advance(300_000);
      expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    },
  );

  it.each<[string, Reaction]>([
    ['201', { ...tokenAnswer(2), status: 201 }],
    ['203', { ...tokenAnswer(2), status: 203 }],
    ['no token_type', tokenAnswer(2, { token_type: undefined })],
    ['a token_type of null', tokenAnswer(2, { token_type: null })],
    ['an error of null', tokenAnswer(2, { error: null })],
    ['a byte order mark', { status: 200, body: `\ufeff${JSON.stringify(tokenAnswer(2).body)}` }],
  ])('accepts new tokens with %s', async (_case, reaction) => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(REFRESH, reaction);
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
  });

  it.each([
    ['that could be a repeat, and the service revokes what the first one gave', true],
    ['that could be none, and nothing is left to revoke', undefined],
  ])('ends the session when a refresh is refused %s', async (_case, isSupported) => {
    const session = await fixture.loaded({
      expiresAt: fixture.clock.now(),
      ...(isSupported && { refreshAttemptSupported: isSupported }),
    });
    fixture.server.expect(REFRESH, { status: 400, body: { error: 'invalid_grant' } });
    fixture.server.otherwise({ status: 200 });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-202');
    await fixture.clock.advance(60_000);
    expect(revoked(fixture)).toEqual(isSupported ? ['refresh-token-1'] : []);
  });

  it('ends the session when there is no refresh token to use', async () => {
    const session = await fixture.loaded({ refreshToken: null, expiresAt: fixture.clock.now() });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-202');
  });
});

describe('Session, two instances on one storage', () => {
  it('uses the tokens that the other instance has refreshed', async () => {
    const old = await fixture.loaded({ expiresAt: fixture.clock.now() });
    const young = fixture.session('instance-2');
    await young.load();
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    expect(await fixture.run(young.accessToken())).toBe('svc_at_number-2');
    expect(await fixture.run(old.accessToken())).toBe('svc_at_number-2');
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('refreshes once for concurrent requests of both', async () => {
    const one = await fixture.loaded({ expiresAt: fixture.clock.now() });
    const two = fixture.session('instance-2');
    await two.load();
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    const tokens = await fixture.run(Promise.all([one.accessToken(), two.accessToken()]));
    expect(tokens).toEqual(['svc_at_number-2', 'svc_at_number-2']);
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('uses the other’s tokens when its own refresh is refused', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(REFRESH, () => {
      fixture.store({ accessToken: 'svc_at_of-the-other', refreshToken: 'refresh-token-9' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    expect(await fixture.run(session.accessToken())).toBe('svc_at_of-the-other');
    expect(session.state.get().kind).toBe('signed-in');
  });

  it('stops waiting for an instance that died during its refresh', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.storage.secrets.set(SECRET_KEYS.refreshLease, 'dead 1');
    fixture.server.expect(refreshWith('refresh-token-1'), tokenAnswer(2));
    const begun = fixture.clock.elapsed;
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    expect(fixture.clock.elapsed - begun).toBeGreaterThanOrEqual(20_000);
    expect(fixture.clock.elapsed - begun).toBeLessThan(22_000);
  });
});

describe('Session, disconnecting', () => {
  const revoke = (token: string): object => ({
    method: 'POST',
    path: '/api/oauth/revoke',
    form: { token, token_type_hint: 'refresh_token', client_id: 'creative-workspace-plugin' },
  });

  // @threat H6
  it('forgets the session at once and revokes its token', async () => {
    const session = await fixture.loaded();
    fixture.server.expect(revoke('refresh-token-1'), { status: 200 });
    const done = session.disconnect();
    expect(session.state.get().kind).toBe('signed-out');
    await fixture.run(done);
    await fixture.run(fixture.server.arrived(1));
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
    expect(await codeOf(session.accessToken())).toBe('CW-201');
  });

  it.each<[string, Reaction]>([
    ['offline', 'cut'],
    ['the service busy', { status: 503 }],
    ['the service busy for a while', { status: 503, headers: { 'Retry-After': '3' } }],
  ])('revokes the token later when %s, also after a restart', async (_case, reaction) => {
    const session = await fixture.loaded();
    fixture.server.expect(revoke('refresh-token-1'), reaction);
    await fixture.run(session.disconnect());
    await fixture.run(fixture.server.arrived(1));
    await fixture.clock.settle();
    expect([...fixture.storage.secrets.keys()]).toEqual([SECRET_KEYS.revocations]);

    fixture.server.expect(revoke('refresh-token-1'), { status: 200 });
    const next = fixture.session();
    await next.load();
    expect(next.state.get().kind).toBe('signed-out');
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
  });

  it('forgets the session at once, also while the service leaves an earlier revocation unanswered', async () => {
    fixture.storage.secrets.set(
      SECRET_KEYS.revocations,
      JSON.stringify({ version: 1, tokens: ['earlier-token'] }),
    );
    fixture.server.expect(revoke('earlier-token'), 'hang');
    fixture.store({});
    const session = fixture.session();
    await session.load();
    await fixture.clock.runUntil(fixture.server.arrived(1));
    const disconnected = outcomeOf(session.disconnect());
    await fixture.clock.settle();
    expect(disconnected.state).toBe('resolved');
    expect(fixture.stored()).toBe('');
    fixture.server.expect(revoke('earlier-token'), { status: 200 });
    fixture.server.expect(revoke('refresh-token-1'), { status: 200 });
    await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.revocations), {
      stepMs: 5_000,
    });
  });

  it.each<[string, Reaction]>([
    ['a page of a filter', { status: 403, body: '<html>' }],
    ['the login page of a network', { status: 200, body: '<html>Please log in' }],
    ['no login to the network', { status: 511, body: '<html>' }],
    ['a service that does not know the client', { status: 401, body: { error: 'invalid_client' } }],
    ['520', { status: 520 }],
  ])('retries the revocation after %s', async (_case, reaction) => {
    const session = await fixture.loaded();
    fixture.server.expect(revoke('refresh-token-1'), reaction);
    fixture.server.expect(revoke('refresh-token-1'), { status: 200 });
    await fixture.run(session.disconnect());
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
    expect(revoked(fixture)).toHaveLength(2);
  });

  it('stops revoking a token that the service refuses to revoke', async () => {
    const session = await fixture.loaded();
    fixture.server.expect(revoke('refresh-token-1'), {
      status: 400,
      body: { error: 'unsupported_token_type' },
    });
    await fixture.run(session.disconnect());
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
  });

  it.each([1, 2])('is finished by the next start when killed after step %i', async (steps) => {
    const session = await fixture.loaded();
    fixture.storage.dieAfter(steps);
    void session.disconnect();
    await fixture.clock.settle();
    fixture.storage.heal();

    fixture.server.expect(revoke('refresh-token-1'), { status: 200 });
    const next = fixture.session();
    await next.load();
    expect(next.state.get().kind).toBe('signed-out');
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
  });

  it('revokes the tokens of a refresh that ends after the disconnect', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    const disconnects: Promise<void>[] = [];
    fixture.server
      .expect(refreshWith('refresh-token-1'), () => {
        disconnects.push(session.disconnect());
        return tokenAnswer(2);
      })
      .otherwise({ status: 200 });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-201');
    expect(disconnects).toHaveLength(1);
    await fixture.run(Promise.all(disconnects));
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
    expect(revoked(fixture).sort()).toEqual(['refresh-token-1', 'refresh-token-2']);
  });
});
