import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { Session } from '../../../src/oauth/session/session.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { memorySecrets } from '../../support/memory-host.js';
import { codeOf } from '../../support/outcome.js';
import {
  createOAuthFixture,
  REFRESH,
  revoked,
  REVOKE,
  tokenAnswer,
  type OAuthFixture,
} from '../fixture.js';

/** A session and its storage: write order, and refused, lost or unreadable values. */
let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

/** A session on stored tokens; storage refuses values with this text until `heal`. */
async function withoutRoomFor(text: string): Promise<{ session: Session; heal: () => void }> {
  const inner = memorySecrets(fixture.storage);
  let isFull = true;
  const session = fixture.session('instance-1', {
    ...inner,
    set: (key, value) =>
      isFull && value.includes(text)
        ? Promise.reject(new CwError('CW-701', 'full'))
        : inner.set(key, value),
  });
  await session.load();
  return {
    session,
    heal: () => {
      isFull = false;
    },
  };
}

describe('Session, storage before use', () => {
  // @threat H7
  it('stores new tokens before it returns them', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.server.expect(REFRESH, tokenAnswer(2));
    const got = session.accessToken().then((token) => ({ token, stored: fixture.stored() }));
    const seen = await fixture.run(got);
    expect(seen?.stored).toContain(seen?.token);
  });

  it('returns no tokens that storage refused, reports it, and needs no second refresh', async () => {
    fixture.store({ expiresAt: fixture.clock.now() });
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    fixture.server.expect(REFRESH, tokenAnswer(2));
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-701');
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
    expect(fixture.server.requests).toHaveLength(1);
    heal();
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    expect(session.state.get()).toEqual({ kind: 'signed-in', trouble: null });
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('sends nothing while it cannot store the refresh_attempt', async () => {
    const session = await fixture.loaded({ expiresAt: fixture.clock.now() });
    fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'), 2); // the lease, then the name
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-701');
    expect(fixture.server.requests).toEqual([]);
    fixture.server.expect(REFRESH, tokenAnswer(2));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
  });

  it('makes all callers wait while storage refuses the new tokens', async () => {
    fixture.store({ expiresAt: fixture.clock.now() + 3_600_000 });
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    await fixture.clock.advance(3_500_000);
    fixture.server.expect(REFRESH, tokenAnswer(2));
    // A background refresh: the token is valid for another hundred seconds.
    expect(await session.accessToken()).toBe('svc_at_first');
    await fixture.clock.runUntil(() => fixture.server.requests.length > 0);
    await fixture.clock.advance(1000);
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
    // While storage takes nothing there is no other.
    expect(await fixture.run(session.accessToken())).toBe('svc_at_first');
    heal();
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    expect(fixture.server.requests).toHaveLength(1);
  });

  it.each([
    ['lost everything', undefined, 'signed-out'],
    ['holds junk', 'junk', 'reconnect-needed'],
    ['holds something of another version', '{"version":9}', 'reconnect-needed'],
    ['holds no tokens', '{"version":1}', 'reconnect-needed'],
  ])('storage that %s means %s', async (_case, content, kind) => {
    if (content !== undefined) fixture.storage.secrets.set(SECRET_KEYS.session, content);
    const session = fixture.session();
    await session.load();
    expect(session.state.get().kind).toBe(kind);
  });

  it('is signed out when storage cannot be read, without an exception', async () => {
    fixture.store({});
    fixture.storage.fail('secrets.get', new CwError('CW-701', 'broken'), 9);
    const session = fixture.session();
    await session.load();
    expect(session.state.get().kind).toBe('signed-out');
  });
});

describe('while storage refuses writes', () => {
  const refuse = (): void => fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'));

  it.each([
    ['unknown', null],
    ['over', 0],
  ])('a refused token is not returned again, with a lifetime %s', async (_case, lifetimeMs) => {
    const now = fixture.clock.now();
    fixture.store({ expiresAt: lifetimeMs === null ? null : now + lifetimeMs });
    const session = fixture.session();
    await session.load();
    refuse();
    fixture.server.expect(REFRESH, tokenAnswer(2, { expires_in: undefined }));
    expect(await codeOf(fixture.run(session.rejected('svc_at_first')))).toBe('CW-701');
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-701');
    expect(await codeOf(fixture.run(session.rejected('svc_at_first')))).toBe('CW-701');
    // A refresh without a stored key is not sent: it could not be repeated.
    expect(fixture.server.requests).toHaveLength(0);
    fixture.storage.heal();
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    expect(fixture.stored()).toContain('svc_at_number-2');
    // The refresh token was good for one use: it was used once.
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('Disconnect revokes the tokens that storage refused', async () => {
    fixture.store({ expiresAt: fixture.clock.now() });
    const session = fixture.session();
    await session.load();
    fixture.server.expect(REFRESH, () => {
      refuse();
      return tokenAnswer(2);
    });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-701');
    fixture.storage.heal();
    fixture.server.expect({ ...REVOKE, form: { token: 'refresh-token-2' } }, { status: 200 });
    await fixture.run(session.disconnect());
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
    // No token is left for another Disconnect to revoke.
    await fixture.run(session.disconnect());
    await fixture.clock.advance(60_000);
    expect(revoked(fixture)).toEqual(['refresh-token-2']);
    expect(await codeOf(session.accessToken())).toBe('CW-201');
  });
});

describe('a token that the service refused while storage refuses new ones', () => {
  it('is not returned again, and one refresh is enough once storage works', async () => {
    fixture.store({});
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    fixture.server.expect(REFRESH, tokenAnswer(2));
    expect(await codeOf(fixture.run(session.rejected('svc_at_first')))).toBe('CW-701');
    // It has most of its hour left.
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-701');
    heal();
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    expect(fixture.server.requests).toHaveLength(1);
  });
});

it('a Disconnect revokes tokens also after refusals of service and storage', async () => {
  fixture.store({});
  const session = fixture.session();
  await session.load();
  fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'));
  expect(await codeOf(fixture.run(session.rejected('svc_at_first')))).toBe('CW-701');
  fixture.storage.heal();
  fixture.server.expect(REVOKE, { status: 200 });
  await fixture.run(session.disconnect());
  expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-201');
  await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.revocations));
});
