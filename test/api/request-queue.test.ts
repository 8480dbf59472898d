import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { HttpResponse } from '../../src/host/http.js';
import type { PendingExchange } from '../support/conversation.js';
import type { Outcome } from '../support/outcome.js';
import fc from '../support/properties.js';
import { seededRandom } from '../support/seeded-random.js';
import type { ApiRequest } from '../../src/api/request-queue.js';
import { BASE, isRefresh, QueueFixture } from './queue-fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let fixture: QueueFixture;

beforeEach(async () => {
  fixture = await QueueFixture.create();
});

describe('RequestQueue', () => {
  it.each([0, -1, 1.5, Number.NaN, Infinity])(
    'refuses a concurrency of %d',
    async (concurrency) => {
      await expect(QueueFixture.create({ concurrency })).rejects.toThrow(TypeError);
    },
  );

  it('never exceeds its concurrency, and starts requests in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        async (concurrency, count) => {
          fixture = await QueueFixture.create({ concurrency });
          const outcomes = Array.from({ length: count }, (_, index) =>
            fixture.send({ url: `${BASE}/api/v1/${index}` }),
          );
          await fixture.clock.settle();
          for (let done = 0; done < count; done += 1) {
            expect(fixture.open()).toHaveLength(Math.min(concurrency, count - done));
            fixture.open()[0]?.respond(200);
            await fixture.clock.settle();
          }
          expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
          expect(fixture.network.exchanges.map((exchange) => exchange.request.url)).toEqual(
            outcomes.map((_, index) => `${BASE}/api/v1/${index}`),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('sends three requests at once by default', async () => {
    for (let count = 0; count < 5; count += 1) fixture.send();
    await fixture.clock.settle();
    expect(fixture.open()).toHaveLength(3);
  });

  it('sends the given request with a token', async () => {
    const outcome = fixture.send({ method: 'POST', headers: { 'X-A': 'b' }, body: 'text' });
    await fixture.clock.settle();
    expect(fixture.only().request).toMatchObject({
      method: 'POST',
      url: `${BASE}/api/v1/x`,
      headers: { 'X-A': 'b', Authorization: 'Bearer svc_at_1' },
      body: 'text',
    });
    fixture.only().respond(201, { Location: '/x' }, 'made');
    await fixture.clock.settle();
    expect(outcome.value).toMatchObject({ status: 201, text: 'made' });
  });
});

describe('responses', () => {
  it.each([200, 201, 204])('returns %d to the caller', async (status) => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(status);
    await fixture.clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  it.each<[status: number, code: string, word?: string]>([
    [400, 'CW-603'],
    [403, 'CW-203'],
    [404, 'CW-603'],
    [409, 'CW-603'],
    [410, 'CW-603'],
    [412, 'CW-603'],
    [415, 'CW-605'],
    [423, 'CW-603'],
    [460, 'CW-306'],
    [507, 'CW-606'],
    [507, 'CW-620', 'insufficient_disk_space'],
    [501, 'CW-305'],
    [505, 'CW-305'],
  ])('%d is the permanent error %s', async (status, code, word = 'some_reason') => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(status, { 'X-Request-Id': 'r-7' }, { error: word });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({
      code,
      status,
      oauthError: word,
      requestId: 'r-7',
    });
    expect(fixture.network.exchanges).toHaveLength(1);
    expect(fixture.clock.pending).toBe(0);
  });

  it.each([404, 409, 503])('returns %d to a caller that expects it', async (status) => {
    const outcome = fixture.send({ expectedStatuses: [status] });
    await fixture.clock.settle();
    fixture.only().respond(status, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  it('treats 413 as final from any server', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(413, {}, '<html>');
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-604', status: 413, isIntercepted: false });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  const foreign: [string, Partial<ApiRequest>, (exchange: PendingExchange) => void][] = [
    ...[302, 400, 403, 404, 405, 407, 409, 451].map(
      (status): [string, Partial<ApiRequest>, (exchange: PendingExchange) => void] => [
        `a page with status ${status}`,
        { expectedStatuses: [404] },
        (exchange) => exchange.respond(status, {}, '<html>'),
      ],
    ),
    ['JSON of a gateway', {}, (exchange) => exchange.respond(403, {}, { message: 'Forbidden' })],
    [
      'a 2xx that the caller does not recognize',
      { isAnswer: () => false },
      (exchange) => exchange.respond(200, {}, '<html>'),
    ],
    [
      'a response from elsewhere',
      {},
      (exchange) =>
        exchange.fail(new CwError('CW-304', 'elsewhere', { status: 200, isIntercepted: true })),
    ],
  ];

  it.each(foreign)(
    'repeats the request for some minutes after %s, then reports a network error',
    async (_name, request, react) => {
      const outcome = fixture.send(request);
      const isPending = (): boolean => outcome.state === 'pending';
      while (isPending()) {
        await fixture.clock.settle();
        react(fixture.only());
        await fixture.clock.settle();
        if (isPending()) {
          expect(fixture.queue.state.get()).toMatchObject({ error: { code: 'CW-304' } });
          await fixture.clock.advanceToNext();
        }
      }
      expect(outcome.error).toMatchObject({ code: 'CW-304', isIntercepted: false });
      expect(fixture.clock.elapsed).toBeGreaterThan(120_000);
      expect(fixture.clock.elapsed).toBeLessThan(600_000);
    },
  );

  it.each(foreign)('%s is forgotten once the service responds', async (_name, request, react) => {
    const outcome = fixture.send({ ...request, isAnswer: ({ text }) => text === 'sound' });
    for (let times = 0; times < 15; times += 1) {
      await fixture.clock.settle();
      react(fixture.only());
      await fixture.clock.settle();
      await fixture.clock.advanceToNext();
    }
    fixture.only().respond(200, {}, 'sound');
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.queue.state.get()).toEqual({ kind: 'closed' });
  });

  it('511 is retried without a limit, because the network requires a login', async () => {
    const outcome = fixture.send();
    for (let times = 0; times < 100; times += 1) {
      await fixture.clock.settle();
      fixture.only().respond(511, {}, '<html>');
      await fixture.clock.settle();
      expect(fixture.queue.state.get()).toMatchObject({ error: { code: 'CW-304' } });
      await fixture.clock.advanceToNext();
    }
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  const passing: [string, (exchange: PendingExchange) => void][] = [
    ...[408, 425, 429, 500, 502, 503, 504, 506, 508, 510, 520, 525, 530, 598, 599].map(
      (status): [string, (exchange: PendingExchange) => void] => [
        String(status),
        (exchange) => exchange.respond(status),
      ],
    ),
    ['no connection', (exchange) => exchange.fail(unreachable)],
    ['silence', (exchange) => exchange.fail(new CwError('CW-302', 'silence'))],
  ];

  it.each(passing)(
    '%s is transient: a repeatable request is sent again until it succeeds',
    async (_name, react) => {
      const outcome = fixture.send();
      await fixture.clock.settle();
      for (const wait of [1000, 2000, 4000]) {
        react(fixture.only());
        await fixture.clock.advance(wait - 1);
        expect(fixture.open()).toHaveLength(0);
        await fixture.clock.advance(1);
        expect(fixture.open()).toHaveLength(1);
      }
      fixture.only().respond(200);
      await fixture.clock.settle();
      expect(outcome.state).toBe('resolved');
      expect(fixture.network.exchanges).toHaveLength(4);
      expect(fixture.clock.pending).toBe(0);
    },
  );

  it.each(passing)(
    '%s ends a request that is not repeatable, after one attempt',
    async (_name, react) => {
      const outcome = fixture.send({ repeatable: false });
      await fixture.clock.settle();
      react(fixture.only());
      await fixture.clock.settle();
      expect(outcome.error).toBeInstanceOf(CwError);
      await fixture.clock.advance(600_000);
      expect(fixture.network.exchanges).toHaveLength(1);
    },
  );

  it('401 repeats also a request that is not repeatable', async () => {
    const outcome = fixture.send({ repeatable: false });
    await fixture.clock.settle();
    fixture.only().respond(401);
    await fixture.refreshBegins();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('with Retry-After are not repeated before that time, in seconds or as a date', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(500, { 'Retry-After': '30' });
    await fixture.clock.advance(29_999);
    expect(fixture.open()).toHaveLength(0);
    await fixture.clock.advance(1);
    fixture
      .only()
      .respond(503, { 'Retry-After': new Date(fixture.clock.now() + 120_000).toUTCString() });
    await fixture.clock.advance(119_999);
    expect(fixture.open()).toHaveLength(0);
    await fixture.clock.advance(1);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('with Retry-After as a date are repeated in time although the local clock is wrong', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    const now = fixture.clock.now() - 86_400_000;
    fixture.only().respond(503, {
      Date: new Date(now).toUTCString(),
      'Retry-After': new Date(now + 120_000).toUTCString(),
    });
    await fixture.clock.advance(119_999);
    expect(fixture.open()).toHaveLength(0);
    await fixture.clock.advance(1);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('of 500 do not delay other requests', async () => {
    fixture = await QueueFixture.create({ concurrency: 1 });
    const failing = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(500);
    const other = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(other.state).toBe('resolved');
    expect(failing.state).toBe('pending');
    expect(fixture.queue.state.get()).toEqual({ kind: 'closed' });
  });
});

describe('an unreachable service', () => {
  it('makes all requests wait and is probed by one', async () => {
    const outcomes = Array.from({ length: 7 }, () => fixture.send());
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.fail(unreachable);
    await fixture.clock.settle();
    expect(fixture.queue.state.get()).toMatchObject({
      kind: 'waiting',
      until: fixture.clock.now() + 1000,
    });
    for (const wait of [1000, 2000, 4000]) {
      await fixture.clock.advance(wait - 1);
      expect(fixture.open()).toHaveLength(0);
      await fixture.clock.advance(1);
      fixture.only().fail(unreachable);
      await fixture.clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'pending')).toBe(true);
    await fixture.clock.advance(8000);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(fixture.queue.state.get()).toEqual({ kind: 'closed' });
    while (fixture.open().length > 0) {
      expect(fixture.open().length).toBeLessThanOrEqual(3);
      fixture.open()[0]?.respond(200);
      await fixture.clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(fixture.clock.pending).toBe(0);
  });

  it('is probed at least every fifteen seconds', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().fail(unreachable);
    for (let probe = 0; probe < 12; probe += 1) {
      const before = fixture.clock.elapsed;
      while (fixture.open().length === 0) await fixture.clock.advanceToNext();
      expect(fixture.clock.elapsed - before).toBeLessThanOrEqual(15_000);
      fixture.only().fail(unreachable);
      await fixture.clock.settle();
    }
    await fixture.clock.advance(15_000);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is probed at once with a new token when the user retries, also after a failed refresh', async () => {
    fixture.refreshesByItself = false;
    fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(401);
    await fixture.refreshBegins();
    fixture.refreshes[0]?.fail(unreachable);
    await fixture.clock.settle();
    expect(fixture.queue.state.get()).toMatchObject({ kind: 'waiting' });
    // Before the wait after the failed refresh is over.
    fixture.queue.retryNow();
    await fixture.clock.settle();
    fixture.only().respond(401);
    await fixture.refreshBegins();
    expect(fixture.refreshes).toHaveLength(2);
  });

  it('is probed at once when the user retries', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().fail(unreachable);
    await fixture.clock.settle();
    fixture.queue.retryNow();
    await fixture.clock.settle();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.clock.elapsed).toBe(0);
  });

  it('makes requests wait when only the token endpoint is unreachable', async () => {
    fixture.refreshesByItself = false;
    const outcomes = [fixture.send(), fixture.send()];
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.respond(401);
    await fixture.refreshBegins();
    fixture.refreshes[0]?.fail(unreachable);
    await fixture.clock.settle();
    expect(fixture.queue.state.get()).toMatchObject({ kind: 'waiting' });
    expect(outcomes.map(({ state }) => state)).toEqual(['pending', 'pending']);
    fixture.refreshesByItself = true;
    while (outcomes.some(({ state }) => state === 'pending')) {
      for (const exchange of fixture.open())
        exchange.respond(exchange.token === 'svc_at_1' ? 401 : 200);
      await fixture.clock.advance(1000);
    }
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    expect(fixture.refreshesAtOnce).toBe(1);
  });
});

it('settles every request, keeps its limits and refreshes one at a time, for random responses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      fixture = await QueueFixture.create({ concurrency: 3, lifetimeMs: 30_000 });
      fixture.refreshesByItself = false;
      const random = seededRandom(seed);
      const sources: CancelSource[] = [];
      const outcomes: Outcome<HttpResponse>[] = [];
      const statuses = [200, 200, 200, 401, 404, 408, 429, 500, 503];
      for (let step = 0; step < 60; step += 1) {
        const what = random();
        const exchange = fixture.network.open[Math.floor(random() * fixture.network.open.length)];
        if (what < 0.35) {
          const source = new CancelSource();
          sources.push(source);
          outcomes.push(fixture.send({ repeatable: random() < 0.7 }, source));
        } else if (what < 0.75 && exchange) {
          if (random() < 0.2) exchange.fail(unreachable);
          else if (isRefresh(exchange)) fixture.answerRefresh(exchange);
          else exchange.respond(statuses[Math.floor(random() * statuses.length)] ?? 200);
        } else if (what < 0.82) sources[Math.floor(random() * sources.length)]?.cancel();
        else if (what < 0.86) fixture.queue.retryNow();
        else await fixture.clock.advance(random() * 20_000);
        await fixture.clock.settle();
        expect(fixture.open().length).toBeLessThanOrEqual(3);
      }
      // From now on the service is well.
      for (
        let round = 0;
        round < 300 &&
        // A refresh may have begun just when the last request was answered.
        (outcomes.some(({ state }) => state === 'pending') || fixture.network.open.length > 0);
        round += 1
      ) {
        for (const exchange of fixture.network.open) {
          if (isRefresh(exchange)) fixture.answerRefresh(exchange);
          else exchange.respond(200);
        }
        await fixture.clock.advance(10_000);
      }
      expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([]);
      expect(fixture.refreshesAtOnce).toBeLessThanOrEqual(1);
      expect(fixture.network.open).toEqual([]);
      for (const { error } of outcomes)
        if (error !== undefined)
          expect([CwError, CancelledError]).toContain((error as Error).constructor);
    }),
    { numRuns: 60 },
  );
});
