import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceSignIn } from '../../../src/oauth/device-flow/sign-in.js';
import type { Reaction } from '../../support/http-server.js';
import { tokenAnswer } from '../fixture.js';
import {
  createSignInFixture,
  pending,
  POLL,
  START,
  type SignInFixture,
} from './sign-in-fixture.js';

let fixture: SignInFixture;

beforeEach(async () => {
  fixture = await createSignInFixture();
});

afterEach(() => fixture.server.close());

describe('the request for a code', () => {
  const busy = (seconds: number): Reaction => ({
    status: 429,
    headers: { 'Retry-After': String(seconds) },
  });

  it.each<[string, Reaction]>([
    ['503', { status: 503 }],
    ['502 with a page', { status: 502, body: '<html>' }],
    ['429', { status: 429 }],
    ['a connection that is cut', 'cut'],
    ['an answer that never comes', 'hang'],
  ])('is retried automatically after %s', async (_case, reaction) => {
    const { signIn } = await fixture.create();
    fixture.server
      .expect(START, reaction)
      .expect(START, reaction === 'hang' ? fixture.code(1) : reaction);
    if (reaction !== 'hang') fixture.server.expect(START, fixture.code(1));
    const seen = new Set<string>();
    signIn.state.subscribe(({ kind }) => seen.add(kind));
    signIn.start();
    expect(await fixture.shown(signIn)).toMatchObject({ userCode: 'CODE-1' });
    expect(seen).toEqual(new Set(['requesting', 'code']));
    signIn.cancel();
  });

  it('is retried for half a minute with growing delays, then fails', async () => {
    const { signIn } = await fixture.create();
    const sentAt: number[] = [];
    fixture.server.otherwise(() => {
      sentAt.push(fixture.clock.elapsed);
      return { status: 503 };
    });
    signIn.start();
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({
      error: { code: 'CW-303', status: 503 },
    });
    const waits = sentAt
      .slice(1)
      .map((at, index) => Math.round((at - (sentAt[index] ?? 0)) / 1000));
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8]);
    const tookMs = (sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0);
    expect(tookMs).toBeGreaterThan(25_000);
    expect(tookMs).toBeLessThanOrEqual(31_000);
    await fixture.clock.advance(120_000);
    expect(fixture.server.requests).toHaveLength(sentAt.length);
    expect(fixture.clock.pending).toBe(0);
  });

  it('waits for Retry-After and reports the time', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, busy(20));
    signIn.start();
    await fixture.clock.runUntil(() => {
      const state = signIn.state.get();
      return state.kind === 'requesting' && state.until !== undefined;
    });
    const before = fixture.clock.elapsed;
    const state = signIn.state.get();
    expect(state.kind === 'requesting' && state.until).toBe(fixture.clock.now() + 20_000);
    // Check now does not shorten it.
    signIn.checkNow();
    await fixture.clock.advance(19_500);
    expect(fixture.server.requests).toHaveLength(1);
    fixture.server.expect(START, fixture.code(1));
    await fixture.shown(signIn);
    expect(fixture.clock.elapsed - before).toBeLessThan(21_000);
    signIn.cancel();
  });

  it('ends when Retry-After exceeds the remaining time', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, busy(20)).expect(START, busy(20));
    signIn.start();
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({ error: { retryAfterMs: 20_000 } });
    expect(fixture.server.requests).toHaveLength(2);
  });

  it('is cancelled at once during a delay', async () => {
    const { signIn } = await fixture.create();
    fixture.server.otherwise({ status: 503 });
    signIn.start();
    await fixture.clock.runUntil(fixture.server.arrived(3), { stepMs: 100 });
    await fixture.clock.settle();
    signIn.cancel();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await fixture.clock.settle();
    expect(fixture.clock.pending).toBe(0);
    const { length } = fixture.server.requests;
    await fixture.clock.advance(60_000);
    expect(fixture.server.requests).toHaveLength(length);
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
  });

  it.each<[string, Reaction]>([
    ['fails and is tried again', { status: 503 }],
    ['is answered by nobody', 'hang'],
  ])('reports a long wait when it %s', async (_case, reaction) => {
    const { signIn } = await fixture.create();
    fixture.server.otherwise(reaction);
    signIn.start();
    await fixture.clock.runUntil(fixture.server.arrived(1));
    await fixture.clock.advance(4_000);
    expect(signIn.state.get()).toEqual({ kind: 'requesting' });
    for (let second = 0; second < 6; second += 1) await fixture.clock.runUntil(() => true);
    await fixture.clock.runUntil(() => fixture.clock.elapsed > 8_000, { stepMs: 100 });
    expect(signIn.state.get()).toEqual({ kind: 'requesting', isSlow: true });
    signIn.cancel();
  });

  it('is retried at once when the computer wakes, for half a minute', async () => {
    const { signIn } = await fixture.create();
    fixture.server.otherwise({ status: 503 });
    signIn.start();
    // The fourth wait is of eight seconds.
    await fixture.clock.runUntil(fixture.server.arrived(4), { stepMs: 100 });
    await fixture.clock.runUntil(() => fixture.server.open === 0);
    const before = fixture.clock.elapsed;
    signIn.checkNow();
    await fixture.clock.runUntil(fixture.server.arrived(5));
    expect(fixture.clock.elapsed - before).toBeLessThan(1_000);
    await fixture.reach(signIn, 'ended');
    expect(fixture.clock.elapsed - before).toBeGreaterThan(25_000);
  });
});

describe('Check now', () => {
  const checkOf = (signIn: DeviceSignIn): string => {
    const state = signIn.state.get();
    return state.kind === 'code' ? state.check : 'no code';
  };

  it('is offered after a minute, not before', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).otherwise(pending);
    signIn.start();
    const { check } = await fixture.shown(signIn);
    expect(check).toBe('later');
    const shownAt = fixture.clock.elapsed;
    await fixture.clock.runUntil(() => checkOf(signIn) !== 'later', { stepMs: 200 });
    expect(fixture.clock.elapsed - shownAt).toBeGreaterThan(59_000);
    expect(fixture.clock.elapsed - shownAt).toBeLessThan(61_000);
    expect(checkOf(signIn)).toBe('offered');
    signIn.cancel();
    await fixture.clock.settle();
    expect(fixture.clock.pending).toBe(0);
  });

  it('is offered after a transient error, and stays', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).expect(POLL, { status: 503 }).otherwise(pending);
    signIn.start();
    await fixture.shown(signIn);
    await fixture.clock.runUntil(() => checkOf(signIn) === 'offered', { stepMs: 200 });
    expect(signIn.state.get()).toMatchObject({ trouble: { code: 'CW-303' } });
    await fixture.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble === null;
      },
      { stepMs: 200 },
    );
    expect(checkOf(signIn)).toBe('offered');
    signIn.cancel();
    // Not even the timer that would offer it after a minute.
    await fixture.clock.settle();
    expect(fixture.clock.pending).toBe(0);
  });

  it('polls once as soon as the interval allows, for any number of presses, and can be pressed again', async () => {
    const { signIn, session } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).otherwise({ status: 503 });
    signIn.start();
    await fixture.shown(signIn);
    // The waits have grown to a quarter of a minute.
    await fixture.clock.runUntil(fixture.server.arrived(4), { stepMs: 200 });
    await fixture.clock.runUntil(() => fixture.server.open === 0, { stepMs: 20 });
    const answeredAt = fixture.clock.elapsed;
    signIn.checkNow();
    expect(checkOf(signIn)).toBe('asked');
    for (let press = 0; press < 20; press += 1) {
      await fixture.clock.advance(240);
      signIn.checkNow();
    }
    expect(fixture.clock.elapsed - answeredAt).toBeLessThan(5_000);
    expect(fixture.server.requests).toHaveLength(4);
    await fixture.clock.runUntil(fixture.server.arrived(5), { stepMs: 20 });
    expect(fixture.clock.elapsed - answeredAt).toBeGreaterThanOrEqual(5_000);
    expect(fixture.clock.elapsed - answeredAt).toBeLessThan(6_000);
    await fixture.clock.runUntil(() => checkOf(signIn) === 'offered', { stepMs: 20 });
    // The waits begin again, and one that has lasted as long as the interval is cut at once.
    fixture.server.otherwise(tokenAnswer(1));
    await fixture.clock.advance(4_990);
    signIn.checkNow();
    await fixture.reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
  });

  it('does nothing without a sign-in in progress', async () => {
    const { signIn } = await fixture.create();
    signIn.checkNow();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    expect(fixture.clock.pending).toBe(0);
  });
});
