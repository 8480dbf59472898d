import { expect, it } from '@jest/globals';
import { CancelSource } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import { SkippableDelay } from '../../../src/util/skippable-delay.js';
import type { SendHttp } from '../../../src/host/http.js';
import { pollForTokens } from '../../../src/oauth/device-flow/polling.js';
import { testClient } from '../../api/signed-in.js';
import { httpResponse } from '../../support/conversation.js';
import { FakeClock } from '../../support/fake-clock.js';
import { seededRandom, testRuns, testSeed } from '../../support/seeded-random.js';

/** Sign-ins, each with other answers, presses, awakenings and clocks; `npm run test:all -- long` takes ten times as many. */
const SIGN_INS = testRuns(50);
const client = testClient('https://service.example');

/** The effect of a response on the next poll. */
interface Answered {
  readonly at: number;
  /** The minimum delay of the next poll, in milliseconds. */
  readonly leastMs: number;
  /** The maximum delay of the next poll. */
  readonly mostMs: number;
}

/** Polls for a while; throws when a poll comes too soon or too late. Gives how many there were, and how many were hurried. */
async function run(random: () => number): Promise<{ polls: number; hurried: number }> {
  const clock = new FakeClock();
  const waits = new SkippableDelay(clock);
  const cancel = new CancelSource();
  const pick = <T>(...of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0];
  const firstMs = pick(1_000, 5_000, 9_000, 20_000);
  let intervalMs = firstMs;
  let last: Answered = { at: 0, leastMs: firstMs, mostMs: firstMs * 1.03 };
  let polls = 0;
  let hurried = 0;
  const faults: unknown[] = [];

  const answered = (retryAfterMs: number, isTrouble: boolean): void => {
    const leastMs = Math.max(intervalMs, retryAfterMs);
    const longestMs = Math.max(intervalMs * 1.03, isTrouble ? 15_000 : 0, retryAfterMs * 1.03);
    // The random part is added to an interval that is longer than any retry delay.
    const spreadMs = isTrouble && intervalMs > 14_000 ? 1_000 : 0;
    last = { at: clock.elapsed, leastMs, mostMs: longestMs + spreadMs + 1 };
  };
  const send: SendHttp = async () => {
    const waitedMs = clock.elapsed - last.at;
    polls += 1;
    if (waitedMs < last.leastMs || waitedMs > last.mostMs) faults.push({ polls, waitedMs, last });
    if (waitedMs < Math.min(last.mostMs, 9_000) && last.mostMs >= 15_000) hurried += 1;
    if (random() < 0.3) {
      await new Promise<void>((resolve) => {
        clock.startTimer(random() * 20_000, resolve);
      });
    }
    const kind = pick('pending', 'slow_down', 'busy', 'busy for', 'page', 'cut', 'elsewhere');
    if (kind === 'slow_down') intervalMs += 5_000;
    const seconds = kind === 'busy for' ? Math.floor(random() * 60) : 0;
    answered(seconds * 1000, kind !== 'pending' && kind !== 'slow_down');
    switch (kind) {
      case 'pending':
        return httpResponse(400, {}, { error: 'authorization_pending' });
      case 'slow_down':
        return httpResponse(400, {}, { error: 'slow_down' });
      case 'busy':
        return httpResponse(pick(429, 500, 503, 511));
      case 'busy for':
        return httpResponse(503, { 'Retry-After': String(seconds) });
      case 'page':
        return httpResponse(pick(200, 302, 403));
      case 'cut':
        throw new CwError('CW-301', 'cut');
      case 'elsewhere':
        throw new CwError('CW-304', 'elsewhere');
    }
  };

  const result = pollForTokens({
    send,
    client,
    clock,
    random,
    authorization: {
      deviceCode: 'the-device-code',
      userCode: 'BCDF-GHJK',
      verificationUri: 'https://service.example/oauth/device',
      verificationUriComplete: null,
      expiresAt: clock.now() + 86_400_000,
      intervalMs: firstMs,
    },
    signal: cancel.signal,
    waits,
  });
  result.catch(() => undefined);
  while (clock.elapsed < 240_000) {
    await clock.advance(random() * pick(200, 3_000, 20_000));
    // A button, a computer that wakes, a clock that is set: in any order.
    for (let presses = Math.floor(random() * 4); presses > 0; presses -= 1) waits.skip();
    if (random() < 0.1) clock.jumpWall((random() - 0.5) * 7_200_000);
  }
  cancel.cancel();
  // An answer may still be on its way.
  await clock.advance(20_000);
  await expect(result).rejects.toThrow('cancelled');
  expect(faults).toEqual([]);
  expect(clock.pending).toBe(0);
  return { polls, hurried };
}

it('keeps between the required and the promised polling interval, for random events', async () => {
  const seed = testSeed();
  let polls = 0;
  let hurried = 0;
  for (let index = 0; index < SIGN_INS; index += 1) {
    try {
      const found = await run(seededRandom(seed + index));
      polls += found.polls;
      hurried += found.hurried;
    } catch (error) {
      throw new Error(`TEST_SEED=${seed}, sign-in ${index}`, { cause: error });
    }
  }
  expect(polls).toBeGreaterThan(SIGN_INS * 5);
  expect(hurried).toBeGreaterThan(SIGN_INS / 10);
});
