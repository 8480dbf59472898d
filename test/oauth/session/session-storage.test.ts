import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { Session } from '../../../src/oauth/session/session.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { memorySecrets } from '../../support/memory-host.js';
import { codeOf } from '../../support/outcome.js';
import { createRig, REFRESH, revoked, REVOKE, tokenAnswer, type Rig } from '../fixture.js';

/** A session and its storage: what is stored first, and what storage refuses, has lost or cannot read. */
let rig: Rig;

beforeEach(async () => {
  rig = await createRig();
});

afterEach(() => rig.server.close());

/** A session on what is stored; storage refuses all that holds this text, until `heal`. */
async function withoutRoomFor(text: string): Promise<{ session: Session; heal: () => void }> {
  const inner = memorySecrets(rig.storage);
  let isFull = true;
  const session = rig.session('copy-1', {
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
  it('stores new tokens before it returns them', async () => {
    const session = await rig.loaded({ expiresAt: rig.clock.now() });
    rig.server.expect(REFRESH, tokenAnswer(2));
    const got = session.accessToken().then((token) => ({ token, stored: rig.stored() }));
    const seen = await rig.run(got);
    expect(seen?.stored).toContain(seen?.token);
  });

  it('hands out nothing that storage has refused, says so, and needs no second refresh once storage works', async () => {
    rig.store({ expiresAt: rig.clock.now() });
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    rig.server.expect(REFRESH, tokenAnswer(2));
    expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-701');
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
    expect(rig.server.requests).toHaveLength(1);
    heal();
    expect(await rig.run(session.accessToken())).toBe('svc_at_number-2');
    expect(session.state.get()).toEqual({ kind: 'signed-in', trouble: null });
    expect(rig.server.requests).toHaveLength(1);
  });

  it('sends nothing while it cannot store what names the refresh', async () => {
    const session = await rig.loaded({ expiresAt: rig.clock.now() });
    rig.storage.fail('secrets.set', new CwError('CW-701', 'full'), 2); // the lease, then the name
    expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-701');
    expect(rig.server.requests).toEqual([]);
    rig.server.expect(REFRESH, tokenAnswer(2));
    expect(await rig.run(session.accessToken())).toBe('svc_at_number-2');
  });

  it('lets everybody wait for tokens that storage has not taken, for the service may have ended the ones before', async () => {
    rig.store({ expiresAt: rig.clock.now() + 3_600_000 });
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    await rig.clock.advance(3_500_000);
    rig.server.expect(REFRESH, tokenAnswer(2));
    // Nobody waits for this refresh: the token is good for another hundred seconds.
    expect(await session.accessToken()).toBe('svc_at_first');
    await rig.clock.runUntil(() => rig.server.requests.length > 0);
    await rig.clock.advance(1000);
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
    // While storage takes nothing there is no other.
    expect(await rig.run(session.accessToken())).toBe('svc_at_first');
    heal();
    expect(await rig.run(session.accessToken())).toBe('svc_at_number-2');
    expect(rig.server.requests).toHaveLength(1);
  });

  it.each([
    ['lost everything', undefined, 'signed-out'],
    ['holds junk', 'junk', 'reconnect-needed'],
    ['holds something of another version', '{"version":9}', 'reconnect-needed'],
    ['holds no tokens', '{"version":1}', 'reconnect-needed'],
  ])('storage that %s means %s', async (_case, content, kind) => {
    if (content !== undefined) rig.storage.secrets.set(SECRET_KEYS.session, content);
    const session = rig.session();
    await session.load();
    expect(session.state.get().kind).toBe(kind);
  });

  it('is signed out when storage cannot be read, without an exception', async () => {
    rig.store({});
    rig.storage.fail('secrets.get', new CwError('CW-701', 'broken'), 9);
    const session = rig.session();
    await session.load();
    expect(session.state.get().kind).toBe('signed-out');
  });
});

describe('while storage refuses', () => {
  const refuse = (): void => rig.storage.fail('secrets.set', new CwError('CW-701', 'full'));

  it.each([
    ['unknown', null],
    ['over', 0],
  ])(
    'nobody is given again a token that was refused, of a lifetime that is %s',
    async (_case, lifetimeMs) => {
      const now = rig.clock.now();
      rig.store({ expiresAt: lifetimeMs === null ? null : now + lifetimeMs });
      const session = rig.session();
      await session.load();
      refuse();
      rig.server.expect(REFRESH, tokenAnswer(2, { expires_in: undefined }));
      expect(await codeOf(rig.run(session.rejected('svc_at_first')))).toBe('CW-701');
      expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-701');
      expect(await codeOf(rig.run(session.rejected('svc_at_first')))).toBe('CW-701');
      // What has no name in storage is not sent: it could not be repeated.
      expect(rig.server.requests).toHaveLength(0);
      rig.storage.heal();
      expect(await rig.run(session.accessToken())).toBe('svc_at_number-2');
      expect(rig.stored()).toContain('svc_at_number-2');
      // The refresh token was good for one use: it was used once.
      expect(rig.server.requests).toHaveLength(1);
    },
  );

  it('Disconnect revokes the tokens that it has not taken, for the older ones are used up', async () => {
    rig.store({ expiresAt: rig.clock.now() });
    const session = rig.session();
    await session.load();
    rig.server.expect(REFRESH, () => {
      refuse();
      return tokenAnswer(2);
    });
    expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-701');
    rig.storage.heal();
    rig.server.expect({ ...REVOKE, form: { token: 'refresh-token-2' } }, { status: 200 });
    await rig.run(session.disconnect());
    await rig.clock.runUntil(() => rig.storage.secrets.size === 0);
    // Nothing is left that another Disconnect would tell the service of.
    await rig.run(session.disconnect());
    await rig.clock.advance(60_000);
    expect(revoked(rig)).toEqual(['refresh-token-2']);
    expect(await codeOf(session.accessToken())).toBe('CW-201');
  });
});

describe('a token that the service has refused while storage takes no other', () => {
  it('is given to nobody again, and one refresh is enough once storage works', async () => {
    rig.store({});
    const { session, heal } = await withoutRoomFor('svc_at_number-2');
    rig.server.expect(REFRESH, tokenAnswer(2));
    expect(await codeOf(rig.run(session.rejected('svc_at_first')))).toBe('CW-701');
    // It has most of its hour left.
    expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-701');
    heal();
    expect(await rig.run(session.accessToken())).toBe('svc_at_number-2');
    expect(rig.server.requests).toHaveLength(1);
  });
});

it('a Disconnect after the service has refused a token, and storage all others, is told as any other', async () => {
  rig.store({});
  const session = rig.session();
  await session.load();
  rig.storage.fail('secrets.set', new CwError('CW-701', 'full'));
  expect(await codeOf(rig.run(session.rejected('svc_at_first')))).toBe('CW-701');
  rig.storage.heal();
  rig.server.expect(REVOKE, { status: 200 });
  await rig.run(session.disconnect());
  expect(await codeOf(rig.run(session.accessToken()))).toBe('CW-201');
  await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.revocations));
});
