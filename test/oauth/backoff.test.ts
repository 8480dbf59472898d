import { beforeEach, describe, expect, it } from '@jest/globals';
import { SkippableDelay } from '../../src/util/skippable-delay.js';
import { Redactor } from '../../src/util/redact.js';
import type { HttpResponse, SendHttp } from '../../src/host/http.js';
import { pollForTokens } from '../../src/oauth/device-flow/polling.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import { testClient } from '../api/signed-in.js';
import { httpResponse } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';

/**
 * When requests are repeated after a failure: after waits that double, less a random part, no earlier than the service
 * requires, and from the shortest wait again after a success.
 */
let clock: FakeClock;
/** When requests went out, on the clock. */
let sentAt: number[];
/** The scripted responses, in order; the last one repeats. */
let answers: HttpResponse[];

const client = testClient('https://service.example');
const BUSY = httpResponse(503);
const busyFor = (seconds: number): HttpResponse =>
  httpResponse(503, { 'Retry-After': String(seconds) });
const granted = (expiresIn: number): HttpResponse =>
  httpResponse(
    200,
    {},
    {
      access_token: `svc_at_${sentAt.length}`,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: `refresh-token-${sentAt.length}`,
    },
  );

const send: SendHttp = () => {
  sentAt.push(clock.elapsed);
  const [answer = BUSY] = answers.length > 1 ? answers.splice(0, 1) : answers;
  return Promise.resolve(answer);
};

beforeEach(() => {
  clock = new FakeClock();
  sentAt = [];
  answers = [BUSY];
});

function parts(random: number): ConstructorParameters<typeof Revocations>[0] {
  const secrets = memorySecrets(new MemoryStorage());
  return { send, client, secrets, clock, random: () => random, redactor: new Redactor() };
}

/** The waits between requests, in milliseconds, until so many have gone out. */
async function waits(count: number, ask?: () => void): Promise<number[]> {
  for (let steps = 0; sentAt.length <= count; steps += 1) {
    if (steps > 10_000) throw new Error(`only ${sentAt.length} requests went out`);
    ask?.();
    // Callers request now and then; timers need no caller.
    await clock.advance(ask ? 50 : 5_000);
  }
  return sentAt.slice(1, count + 1).map((at, index) => at - (sentAt[index] ?? 0));
}

/** Each wait is as long as it should be, or longer by no more than what asking takes. */
function expectWaits(found: readonly number[], expected: readonly number[], slackMs: number): void {
  const fits = found.map((wait, index) => {
    const least = expected[index] ?? 0;
    return wait >= least && wait <= least + slackMs;
  });
  expect({ found, expected, fits }).toEqual({ found, expected, fits: expected.map(() => true) });
}

describe('a failed refresh', () => {
  /** Taking the lease, and looking every 50 ms. */
  const SLACK_MS = 400;

  async function session(random: number): Promise<{ session: Session; ask: () => void }> {
    const shared = parts(random);
    const one = new Session({
      ...shared,
      randomBytes: seededBytes(1),
      revocations: new Revocations(shared),
      instanceId: 'instance-1',
    });
    await one.adopt({
      accessToken: 'svc_at_0',
      refreshToken: 'refresh-token-0',
      obtainedAt: clock.now() - 3_600_000,
      expiresAt: clock.now(),
    });
    return {
      session: one,
      ask: () => {
        one.accessToken().catch(() => undefined);
      },
    };
  }

  it('is retried with doubling delays, up to a quarter of a minute', async () => {
    const { ask } = await session(0);
    expectWaits(await waits(6, ask), [1_000, 2_000, 4_000, 8_000, 15_000, 15_000], SLACK_MS);
  });

  it('is retried up to a quarter earlier, at random', async () => {
    const { ask } = await session(0.96);
    expectWaits(await waits(5, ask), [760, 1_520, 3_040, 6_080, 11_400], SLACK_MS);
  });

  it('is not retried before Retry-After', async () => {
    answers = [busyFor(40), BUSY];
    const { ask } = await session(0);
    expectWaits(await waits(2, ask), [40_000, 2_000], SLACK_MS);
  });

  it('resets its delay after a success', async () => {
    answers = [BUSY, BUSY, granted(2), BUSY];
    const { ask } = await session(0);
    // The token that comes in between is good for two seconds, and renewed after one.
    expectWaits(await waits(5, ask), [1_000, 2_000, 1_000, 1_000, 2_000], SLACK_MS + 400);
  });

  it('is retried at once when the user wishes, and resets its delay', async () => {
    const { session: one, ask } = await session(0);
    await waits(3, ask);
    one.retryNow();
    sentAt = [];
    ask();
    await clock.advance(300);
    expect(sentAt).toHaveLength(1);
    expectWaits(await waits(2, ask), [1_000, 2_000], SLACK_MS);
  });
});

describe('the delay after a failed refresh', () => {
  it('ends with its session, and leaves no timer', async () => {
    const shared = parts(0);
    const one = new Session({
      ...shared,
      randomBytes: seededBytes(1),
      // Revocations have their own timers.
      revocations: new Revocations({ ...shared, clock: new FakeClock() }),
      instanceId: 'instance-1',
    });
    for (const refreshToken of ['refresh-token-0', 'refresh-token-1']) {
      await one.adopt({
        accessToken: `svc_at_of-${refreshToken}`,
        refreshToken,
        obtainedAt: clock.now() - 3_600_000,
        expiresAt: clock.now(),
      });
      const failed = expect(one.accessToken()).rejects.toMatchObject({ code: 'CW-303' });
      // Less than the wait is long.
      await clock.advance(600);
      await failed;
      expect(clock.pending).toBe(1);
    }
  });
});

describe('a failed revocation', () => {
  async function revocations(random: number): Promise<Revocations> {
    const one = new Revocations(parts(random));
    await one.add('the-first-token');
    one.flush();
    return one;
  }

  it('is retried automatically, with doubling delays up to a quarter of an hour', async () => {
    await revocations(0);
    const expected = [5, 10, 20, 40, 80, 160, 320, 640, 900, 900].map((seconds) => seconds * 1000);
    expectWaits(await waits(expected.length), expected, 100);
  });

  it('is retried up to a quarter earlier, at random', async () => {
    await revocations(0.96);
    expectWaits(await waits(3), [3_800, 7_600, 15_200], 100);
  });

  it('is not retried before Retry-After', async () => {
    answers = [busyFor(100), BUSY];
    await revocations(0);
    expectWaits(await waits(2), [100_000, 10_000], 100);
  });

  it('resets its delay after a success, and ends when none is left', async () => {
    answers = [BUSY, BUSY, httpResponse(200)];
    const one = await revocations(0);
    expectWaits(await waits(2), [5_000, 10_000], 100);
    sentAt = [];
    answers = [BUSY, httpResponse(200)];
    await one.add('the-second-token');
    one.flush();
    expectWaits(await waits(1), [5_000], 100);
    await clock.advance(86_400_000);
    expect(sentAt).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });
});

describe('polling for tokens', () => {
  const PENDING = httpResponse(400, {}, { error: 'authorization_pending' });

  function poll(random: number, intervalMs = 5_000): SkippableDelay {
    const pace = new SkippableDelay(clock);
    const now = clock.now();
    pollForTokens({
      send,
      client,
      clock,
      random: () => random,
      authorization: {
        deviceCode: 'the-device-code',
        userCode: 'BCDF-GHJK',
        verificationUri: 'https://service.example/oauth/device',
        verificationUriComplete: null,
        expiresAt: now + 86_400_000,
        intervalMs,
      },
      waits: pace,
    }).catch(() => undefined);
    return pace;
  }

  it('doubles its delay with each transient error, up to a quarter of a minute', async () => {
    poll(0);
    expectWaits(await waits(5), [5_100, 10_000, 14_000, 14_000, 14_000], 100);
  });

  it('waits up to a second longer after a transient error, at random', async () => {
    poll(0.999);
    const found = await waits(5);
    expectWaits(found, [5_999, 10_999, 14_999, 14_999, 14_999], 1);
    expect(Math.max(...found)).toBeLessThanOrEqual(15_000);
  });

  it('uses an interval above a quarter of a minute also after transient errors', async () => {
    poll(0, 60_000);
    expectWaits(await waits(4), [61_200, 61_200, 61_200, 61_200], 100);
  });

  it('does not happen before Retry-After', async () => {
    answers = [busyFor(100), BUSY];
    poll(0);
    expectWaits(await waits(2), [102_000, 10_000], 100);
  });

  it('resets its delay after a response', async () => {
    answers = [BUSY, BUSY, PENDING, BUSY];
    poll(0);
    expectWaits(await waits(5), [5_100, 10_000, 5_100, 5_100, 10_000], 100);
  });

  it('happens as soon as the interval allows on Check now, and resets its delay', async () => {
    const pace = poll(0);
    await waits(4);
    sentAt = [];
    pace.skip();
    expectWaits(await waits(3), [5_100, 10_000, 14_000], 100);
  });
});
