import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { Redactor } from '../../../src/util/redact.js';
import type { SecretStore } from '../../../src/host/storage.js';
import type { Session } from '../../../src/oauth/session/session.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { readTokenResponse, type TokenSet } from '../../../src/oauth/token-endpoint.js';
import { TokenStore } from '../../../src/oauth/session/token-store.js';
import { httpResponse } from '../../support/conversation.js';
import { memorySecrets } from '../../support/memory-host.js';
import {
  createOAuthFixture,
  REFRESH,
  revoked,
  REVOKE,
  tokenAnswer,
  type OAuthFixture,
} from '../fixture.js';
import { seededBytes } from '../../support/seeded-random.js';
import { codeOf } from '../../support/outcome.js';

/** A session during slow or refused storage operations. */
let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

function tokens(number: number): TokenSet {
  return {
    accessToken: `svc_at_number-${number}`,
    refreshToken: `refresh-token-${number}`,
    obtainedAt: fixture.clock.now(),
    expiresAt: fixture.clock.now() + 3_600_000,
  };
}

/** Delays the matching operations on the stored session until `letGo`. */
function heldStorage(fits: (operation: 'get' | 'set', value: string) => boolean): {
  secrets: SecretStore;
  held: Promise<void>;
  letGo: () => void;
} {
  const inner = memorySecrets(fixture.storage);
  let letGo = (): void => undefined;
  let tellHeld = (): void => undefined;
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const wait = async (operation: 'get' | 'set', key: string, value = ''): Promise<void> => {
    if (key !== SECRET_KEYS.session || !fits(operation, value)) return;
    tellHeld();
    await free;
  };
  return {
    held,
    letGo: () => letGo(),
    secrets: {
      get: async (key) => {
        const found = await inner.get(key);
        await wait('get', key);
        return found;
      },
      set: async (key, value) => {
        await wait('set', key, value);
        await inner.set(key, value);
      },
      remove: (key) => inner.remove(key),
    },
  };
}

describe('while storage writes the tokens of a refresh', () => {
  async function refreshingSlowly(): Promise<{
    session: Session;
    refreshing: Promise<string>;
    letGo: () => void;
  }> {
    fixture.store({ expiresAt: fixture.clock.now() });
    const { secrets, held, letGo } = heldStorage(
      (operation, value) => operation === 'set' && value.includes('svc_at_number-2'),
    );
    const session = fixture.session('instance-1', secrets);
    await session.load();
    fixture.server.expect(REFRESH, tokenAnswer(2)).otherwise({ status: 200 });
    const refreshing = codeOf(session.accessToken());
    await fixture.run(held);
    return { session, refreshing, letGo };
  }

  it('a new sign-in wins, and the refreshed tokens are revoked', async () => {
    const { session, refreshing, letGo } = await refreshingSlowly();
    const adopting = session.adopt(tokens(3));
    await fixture.clock.settle();
    letGo();
    await fixture.run(refreshing);
    await fixture.run(adopting);
    await fixture.clock.runUntil(() => revoked(fixture).length > 0);
    expect(fixture.stored()).toContain('svc_at_number-3');
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-3');
    expect(revoked(fixture)).toEqual(['refresh-token-2']);
    const next = fixture.session();
    await next.load();
    expect(await fixture.run(next.accessToken())).toBe('svc_at_number-3');
  });

  it('a Disconnect wins: nothing is stored, and both tokens are revoked', async () => {
    const { session, refreshing, letGo } = await refreshingSlowly();
    const disconnecting = session.disconnect();
    await fixture.clock.settle();
    letGo();
    expect(await fixture.run(refreshing)).toBe('CW-201');
    await fixture.run(disconnecting);
    await fixture.clock.runUntil(() => fixture.storage.secrets.size === 0);
    expect(revoked(fixture)).toContain('refresh-token-2');
    const next = fixture.session();
    await next.load();
    expect(next.state.get().kind).toBe('signed-out');
  });
});

describe('a Disconnect while storage writes a sign-in', () => {
  it.each([
    ['its tokens', () => true, 'CW-201'],
    // They are written once more when the session before them is among the revocations.
    [
      'that the session before it will be revoked',
      (value: string) => !value.includes('replacedToken'),
      'no error',
    ],
  ])('wins %s: nothing is stored', async (_what, fits, code) => {
    fixture.store({});
    const { secrets, held, letGo } = heldStorage(
      (operation, value) => operation === 'set' && fits(value),
    );
    const session = fixture.session('instance-1', secrets);
    await session.load();
    const adopting = codeOf(session.adopt(tokens(3)));
    await held;
    await session.disconnect();
    letGo();
    expect(await adopting).toBe(code);
    expect(fixture.stored()).toBe('');
    const next = fixture.session();
    await next.load();
    expect(next.state.get().kind).toBe('signed-out');
  });
});

it('a sign-in that ends while storage is being read wins', async () => {
  fixture.store({});
  const { secrets, held, letGo } = heldStorage((operation) => operation === 'get');
  const session = fixture.session('instance-1', secrets);
  const loading = session.load();
  await held;
  await session.adopt(tokens(3));
  letGo();
  await loading;
  expect(session.state.get()).toEqual({ kind: 'signed-in', trouble: null });
  expect(await session.accessToken()).toBe('svc_at_number-3');
});

describe('two plugin instances', () => {
  it('a slow instance does not end the lease of the other', async () => {
    fixture.store({ expiresAt: fixture.clock.now() });
    const session = fixture.session('slow instance');
    await session.load();
    fixture.server.expect(REFRESH, () => {
      fixture.storage.secrets.set(SECRET_KEYS.refreshLease, 'other instance 1');
      return tokenAnswer(2);
    });
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-2');
    await fixture.clock.settle();
    expect(fixture.storage.secrets.get(SECRET_KEYS.refreshLease)).toBe('other instance 1');
  });

  it('a refresh stops before its lease can be taken over', async () => {
    fixture.store({ expiresAt: fixture.clock.now() });
    const slow = fixture.session('slow instance');
    await slow.load();
    fixture.server.expect(REFRESH, 'hang');
    const slowly = codeOf(slow.accessToken());
    await fixture.clock.runUntil(fixture.server.arrived(1));
    let endedAt = Infinity;
    void slowly.then(() => {
      endedAt = fixture.clock.elapsed;
    });
    const other = fixture.session('other instance');
    await other.load();
    let tookOverAt = 0;
    fixture.server.expect(REFRESH, () => {
      tookOverAt = fixture.clock.elapsed;
      return tokenAnswer(2);
    });
    expect(await fixture.run(other.accessToken())).toBe('svc_at_number-2');
    expect(await fixture.run(slowly)).toBe('CW-302');
    expect(endedAt).toBeLessThan(tookOverAt);
  });
});

describe('the lifetime in a token response', () => {
  const DAY_S = 86_400;

  it.each([
    ['a number', 3600, 3600],
    ['a part of a second', 0.5, 0.5],
    ['a hundred years', 36_525 * DAY_S, 36_525 * DAY_S],
    ['longer than that', 36_525 * DAY_S + 1, null],
    ['nothing', undefined, null],
    ['none', 0, null],
    ['less than none', -1, null],
    ['no number', 'soon', null],
  ])('as %s', (_name, said, lifetimeS) => {
    const { status, body } = tokenAnswer(1, { expires_in: said });
    const response = httpResponse(status, {}, body);
    expect(readTokenResponse(response, 1_000_000).expiresAt).toBe(
      lifetimeS === null ? null : 1_000_000 + lifetimeS * 1000,
    );
  });
});

describe('storage that rejects with a foreign error', () => {
  it('is reported as CW-701', async () => {
    const redactor = new Redactor();
    const store = new TokenStore({
      secrets: memorySecrets(fixture.storage),
      redactor,
      randomBytes: seededBytes(1),
    });
    await store.startSession(tokens(1));
    fixture.storage.fail('secrets.set', new Error('EIO'), 1);
    expect(await codeOf(store.save(tokens(2), store.generation))).toBe('CW-701');
    expect(store.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
  });

  it('is not reported for a session that has ended', async () => {
    const redactor = new Redactor();
    const store = new TokenStore({
      secrets: memorySecrets(fixture.storage),
      redactor,
      randomBytes: seededBytes(1),
    });
    await store.startSession(tokens(1));
    fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'), 1);
    const saving = codeOf(store.save(tokens(2), store.generation));
    store.forget();
    expect(await saving).toBe('CW-701');
    expect(store.state.get()).toEqual({ kind: 'signed-out' });
    expect(store.unsaved).toBeNull();
  });
});

describe('in the last seconds of a token, when its refresh fails', () => {
  async function lastSeconds(secrets = memorySecrets(fixture.storage)): Promise<Session> {
    fixture.store({ expiresAt: fixture.clock.now() + 3_600_000 });
    const session = fixture.session('instance-1', secrets);
    await session.load();
    await fixture.clock.advance(3_600_000 - 20_000);
    return session;
  }

  it('the token is used until it expires', async () => {
    const session = await lastSeconds();
    fixture.server.expect(REFRESH, { status: 503 });
    expect(await fixture.run(session.accessToken())).toBe('svc_at_first');
    await fixture.clock.advance(20_000);
    fixture.server.expect(REFRESH, { status: 503 });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-303');
  });

  it('the token is used while storage refuses the new one', async () => {
    const inner = memorySecrets(fixture.storage);
    const session = await lastSeconds({
      ...inner,
      set: (key, value) =>
        value.includes('svc_at_number-2')
          ? Promise.reject(new CwError('CW-701', 'full'))
          : inner.set(key, value),
    });
    fixture.server.expect(REFRESH, tokenAnswer(2));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_first');
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
  });

  it('the token is used while storage refuses all writes, and nothing is sent', async () => {
    const session = await lastSeconds();
    fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_first');
    expect(fixture.server.requests).toEqual([]);
    expect(session.state.get()).toMatchObject({ kind: 'signed-in', trouble: { code: 'CW-701' } });
  });

  it('the token is not used when the service has ended the session', async () => {
    const session = await lastSeconds();
    fixture.server.expect(REFRESH, { status: 400, body: { error: 'invalid_grant' } });
    expect(await codeOf(fixture.run(session.accessToken()))).toBe('CW-202');
  });
});

describe('a new sign-in over a session', () => {
  it('runs one at a time, and all but the last session are revoked', async () => {
    fixture.store({});
    const session = fixture.session();
    await session.load();
    fixture.server.otherwise({ status: 200 });
    const adopted = [3, 4, 5].map((number) => session.adopt(tokens(number)));
    await fixture.run(Promise.all(adopted));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-5');
    expect(fixture.stored()).toContain('svc_at_number-5');
    await fixture.clock.runUntil(() => revoked(fixture).length > 2);
    expect(revoked(fixture).sort()).toEqual([
      'refresh-token-1',
      'refresh-token-3',
      'refresh-token-4',
    ]);
  });

  it('delays refreshes while it is stored', async () => {
    fixture.store({});
    const { secrets, held, letGo } = heldStorage(
      (operation, value) => operation === 'set' && value.includes('svc_at_number-3'),
    );
    const session = fixture.session('instance-1', secrets);
    await session.load();
    const adopting = session.adopt(tokens(3));
    await fixture.run(held);
    const rejected = session.rejected('svc_at_first');
    // A refresh at this time would be an error.
    await fixture.clock.advance(2_000);
    fixture.server.expect({ ...REVOKE, form: { token: 'refresh-token-1' } }, { status: 200 });
    letGo();
    await fixture.run(Promise.all([adopting, rejected]));
    expect(await fixture.run(session.accessToken())).toBe('svc_at_number-3');
    expect(fixture.stored()).toContain('svc_at_number-3');
    await fixture.clock.runUntil(() => revoked(fixture).length > 0);
  });

  it('ends the session of another plugin instance', async () => {
    fixture.store({ expiresAt: null });
    const other = fixture.session('instance-2');
    await other.load();
    const session = fixture.session();
    await session.load();
    fixture.server.expect({ ...REVOKE, form: { token: 'refresh-token-1' } }, { status: 200 });
    await fixture.run(session.adopt(tokens(3)));
    const kinds: string[] = [];
    other.state.subscribe(({ kind }) => kinds.push(kind));
    await fixture.run(other.rejected('svc_at_first'));
    expect(kinds).toEqual(['signed-out', 'signed-in']);
    expect(await fixture.run(other.accessToken())).toBe('svc_at_number-3');
    expect(other.id).toBe(session.id);
    await fixture.clock.runUntil(() => revoked(fixture).length > 0);
  });

  it('revokes the newest token, also when another plugin instance stored it', async () => {
    fixture.store({});
    const session = fixture.session();
    await session.load();
    fixture.store({ accessToken: 'svc_at_number-2', refreshToken: 'refresh-token-2' });
    fixture.server.otherwise({ status: 200 });
    await fixture.run(session.adopt(tokens(3)));
    await fixture.clock.runUntil(() => revoked(fixture).length > 0);
    expect(revoked(fixture)).toEqual(['refresh-token-2']);
  });

  it('keeps the session id over refreshes and restarts', async () => {
    const session = fixture.session();
    await session.load();
    await fixture.run(session.adopt(tokens(1)));
    const { id } = session;
    fixture.server.expect(REFRESH, tokenAnswer(2));
    await fixture.run(session.rejected('svc_at_number-1'));
    const next = fixture.session();
    await next.load();
    expect([session.id, next.id]).toEqual([id, id]);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});
