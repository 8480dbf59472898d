import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { Redactor } from '../../../src/util/redact.js';
import { RefreshAttempt } from '../../../src/oauth/session/refresh-attempt.js';
import type { TokenSet } from '../../../src/oauth/token-endpoint.js';
import { TokenStore } from '../../../src/oauth/session/token-store.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';

/** Which value names a refresh: one for all who may send the same one. */
let clock: FakeClock;
let storage: MemoryStorage;

beforeEach(() => {
  clock = new FakeClock();
  storage = new MemoryStorage();
});

/** An instance of the plugin on the same storage; each generates its own values. */
function instance(seed: number): {
  tokens: TokenStore;
  attempt: RefreshAttempt;
  redactor: Redactor;
} {
  const redactor = new Redactor();
  const tokens = new TokenStore({
    secrets: memorySecrets(storage),
    redactor,
    randomBytes: seededBytes(seed),
  });
  const attempt = new RefreshAttempt({ tokens, clock, randomBytes: seededBytes(seed) });
  return { tokens, attempt, redactor };
}

function tokenSet(number: number, more: Partial<TokenSet> = {}): TokenSet {
  return {
    accessToken: `svc_at_${number}`,
    refreshToken: `refresh-token-${number}`,
    obtainedAt: clock.now(),
    expiresAt: clock.now() + 3_600_000,
    refreshAttemptSupported: true,
    ...more,
  };
}

/** Lets time pass until it is settled. */
async function run<T>(promise: Promise<T>): Promise<T | undefined> {
  return clock.runUntil(promise, { stepMs: 250 });
}

describe('the refresh_attempt value', () => {
  it('is new, unguessable, and stored before it is returned', async () => {
    const { tokens, attempt, redactor } = instance(1);
    await tokens.startSession(tokenSet(1));
    const value = await run(attempt.valueFor(tokenSet(1), tokens.generation));
    expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await tokens.readTokens()).toMatchObject({
      accessToken: 'svc_at_1',
      refreshAttempt: value,
    });
    expect(redactor.redact(`sent ${value}`)).not.toContain(value);
  });

  it('is the same for a repeat, also in the next run', async () => {
    const first = instance(1);
    await first.tokens.startSession(tokenSet(1));
    const value = await run(first.attempt.valueFor(tokenSet(1), first.tokens.generation));
    const next = instance(2);
    const began = clock.elapsed;
    expect(await next.attempt.valueFor(tokenSet(1), next.tokens.generation)).toBe(value);
    expect(clock.elapsed).toBe(began);
  });

  it('is different for the next tokens', async () => {
    const { tokens, attempt } = instance(1);
    await tokens.startSession(tokenSet(1));
    const value = await run(attempt.valueFor(tokenSet(1), tokens.generation));
    await tokens.save(tokenSet(2), tokens.generation);
    expect(await tokens.readTokens()).toMatchObject({ refreshAttempt: null });
    expect(await run(attempt.valueFor(tokenSet(2), tokens.generation))).not.toBe(value);
  });

  it('is the same for two instances that request it at once', async () => {
    const instances = [instance(1), instance(2)];
    storage.secrets.clear();
    for (const { tokens } of instances) await tokens.startSession(tokenSet(1));
    const values = await run(
      Promise.all(
        instances.map(({ tokens, attempt }) => attempt.valueFor(tokenSet(1), tokens.generation)),
      ),
    );
    expect(values?.[0]).toMatch(/^.{43}$/);
    expect(values?.[1]).toBe(values?.[0]);
  });

  it('is returned without a check when the service does not support it', async () => {
    const { tokens, attempt, redactor } = instance(1);
    const { accessToken, refreshToken, obtainedAt, expiresAt } = tokenSet(1);
    const old: TokenSet = { accessToken, refreshToken, obtainedAt, expiresAt };
    await tokens.startSession(old);
    const value = await attempt.valueFor(old, tokens.generation);
    expect(value).toMatch(/^.{43}$/);
    expect(redactor.redact(`sent ${value}`)).toBe('sent [removed]');
    expect(clock.elapsed).toBe(0);
  });

  it('is returned although storage loses it', async () => {
    const { tokens, attempt } = instance(1);
    await tokens.startSession(tokenSet(1));
    const asked = attempt.valueFor(tokenSet(1), tokens.generation);
    await clock.settle();
    storage.secrets.clear();
    expect(await run(asked)).toMatch(/^.{43}$/);
  });

  it('is null when storage refuses it', async () => {
    const { tokens, attempt } = instance(1);
    await tokens.startSession(tokenSet(1));
    storage.fail('secrets.set', new CwError('CW-701', 'full'));
    await expect(attempt.valueFor(tokenSet(1), tokens.generation)).rejects.toMatchObject({
      code: 'CW-701',
    });
  });

  describe('is null, and nothing is sent,', () => {
    it('when another instance has refreshed already', async () => {
      const { tokens, attempt } = instance(1);
      await tokens.startSession(tokenSet(1));
      const other = instance(2).tokens;
      await other.startSession(tokenSet(2));
      expect(await attempt.valueFor(tokenSet(1), tokens.generation)).toBeNull();
      expect(await other.readTokens()).toMatchObject({ accessToken: 'svc_at_2' });
    });

    it('when another instance has refreshed while it waited', async () => {
      const { tokens, attempt } = instance(1);
      await tokens.startSession(tokenSet(1));
      const asked = attempt.valueFor(tokenSet(1), tokens.generation);
      await clock.settle();
      await instance(2).tokens.startSession(tokenSet(2));
      expect(await run(asked)).toBeNull();
    });

    it('when the user disconnected while it waited', async () => {
      const { tokens, attempt } = instance(1);
      await tokens.startSession(tokenSet(1));
      const asked = attempt.valueFor(tokenSet(1), tokens.generation);
      await clock.settle();
      tokens.forget();
      await tokens.remove();
      expect(await run(asked)).toBeNull();
      expect(storage.secrets.size).toBe(0);
    });

    it('when the user disconnected while it was written', async () => {
      const { tokens, attempt } = instance(1);
      await tokens.startSession(tokenSet(1));
      const { generation } = tokens;
      tokens.forget();
      expect(await attempt.valueFor(tokenSet(1), generation)).toBeNull();
      expect(storage.secrets.size).toBe(0);
    });
  });
});
