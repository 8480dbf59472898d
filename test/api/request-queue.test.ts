import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { HttpResponse } from '../../src/host/http.js';
import type { PendingExchange } from '../support/conversation.js';
import type { Outcome } from '../support/outcome.js';
import fc from '../support/properties.js';
import { seededRandom } from '../support/seeded-random.js';
import type { ApiRequest } from '../../src/api/request-queue.js';
import { BASE, isRefresh, QueueRig } from './queue-fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let rig: QueueRig;

beforeEach(async () => {
  rig = await QueueRig.create();
});

describe('the queue', () => {
  it.each([0, -1, 1.5, Number.NaN, Infinity])(
    'refuses a concurrency of %d',
    async (concurrency) => {
      await expect(QueueRig.create({ concurrency })).rejects.toThrow(TypeError);
    },
  );

  it('never exceeds its concurrency, and starts requests in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        async (concurrency, count) => {
          rig = await QueueRig.create({ concurrency });
          const outcomes = Array.from({ length: count }, (_, index) =>
            rig.send({ url: `${BASE}/api/v1/${index}` }),
          );
          await rig.clock.settle();
          for (let done = 0; done < count; done += 1) {
            expect(rig.open()).toHaveLength(Math.min(concurrency, count - done));
            rig.open()[0]?.respond(200);
            await rig.clock.settle();
          }
          expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
          expect(rig.network.exchanges.map((exchange) => exchange.request.url)).toEqual(
            outcomes.map((_, index) => `${BASE}/api/v1/${index}`),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('sends three requests at once by default', async () => {
    for (let count = 0; count < 5; count += 1) rig.send();
    await rig.clock.settle();
    expect(rig.open()).toHaveLength(3);
  });

  it('sends the given request with a token', async () => {
    const outcome = rig.send({ method: 'POST', headers: { 'X-A': 'b' }, body: 'text' });
    await rig.clock.settle();
    expect(rig.only().request).toMatchObject({
      method: 'POST',
      url: `${BASE}/api/v1/x`,
      headers: { 'X-A': 'b', Authorization: 'Bearer svc_at_1' },
      body: 'text',
    });
    rig.only().respond(201, { Location: '/x' }, 'made');
    await rig.clock.settle();
    expect(outcome.value).toMatchObject({ status: 201, text: 'made' });
  });
});

describe('answers', () => {
  it.each([200, 201, 204])('returns %d to the caller', async (status) => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(status);
    await rig.clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  it.each([
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
    [501, 'CW-305'],
    [505, 'CW-305'],
  ])('%d is the error %s, at once and for good', async (status, code) => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(status, { 'X-Request-Id': 'r-7' }, { error: 'some_reason' });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({
      code,
      status,
      oauthError: 'some_reason',
      requestId: 'r-7',
    });
    expect(rig.network.exchanges).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
  });

  it.each([404, 409, 503])('returns %d to a caller that expects it', async (status) => {
    const outcome = rig.send({ expectedStatuses: [status] });
    await rig.clock.settle();
    rig.only().respond(status, { 'Tus-Resumable': '1.0.0' });
    await rig.clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  it('treats 413 as final from any server', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(413, {}, '<html>');
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-604', status: 413, isIntercepted: false });
    expect(rig.network.exchanges).toHaveLength(1);
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
      const outcome = rig.send(request);
      const isPending = (): boolean => outcome.state === 'pending';
      while (isPending()) {
        await rig.clock.settle();
        react(rig.only());
        await rig.clock.settle();
        if (isPending()) {
          expect(rig.queue.state.get()).toMatchObject({ error: { code: 'CW-304' } });
          await rig.clock.advanceToNext();
        }
      }
      expect(outcome.error).toMatchObject({ code: 'CW-304', isIntercepted: false });
      expect(rig.clock.elapsed).toBeGreaterThan(120_000);
      expect(rig.clock.elapsed).toBeLessThan(600_000);
    },
  );

  it.each(foreign)('%s is forgotten once the service responds', async (_name, request, react) => {
    const outcome = rig.send({ ...request, isAnswer: ({ text }) => text === 'sound' });
    for (let times = 0; times < 15; times += 1) {
      await rig.clock.settle();
      react(rig.only());
      await rig.clock.settle();
      await rig.clock.advanceToNext();
    }
    rig.only().respond(200, {}, 'sound');
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(rig.queue.state.get()).toEqual({ kind: 'open' });
  });

  it('511 is waited out however long it lasts: the network wants a login first', async () => {
    const outcome = rig.send();
    for (let times = 0; times < 100; times += 1) {
      await rig.clock.settle();
      rig.only().respond(511, {}, '<html>');
      await rig.clock.settle();
      expect(rig.queue.state.get()).toMatchObject({ error: { code: 'CW-304' } });
      await rig.clock.advanceToNext();
    }
    rig.only().respond(200);
    await rig.clock.settle();
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
    '%s passes: a repeatable request is sent again until it gets through',
    async (_name, react) => {
      const outcome = rig.send();
      await rig.clock.settle();
      for (const wait of [1000, 2000, 4000]) {
        react(rig.only());
        await rig.clock.advance(wait - 1);
        expect(rig.open()).toHaveLength(0);
        await rig.clock.advance(1);
        expect(rig.open()).toHaveLength(1);
      }
      rig.only().respond(200);
      await rig.clock.settle();
      expect(outcome.state).toBe('resolved');
      expect(rig.network.exchanges).toHaveLength(4);
      expect(rig.clock.pending).toBe(0);
    },
  );

  it.each(passing)(
    '%s ends a request that is not repeatable, after one attempt',
    async (_name, react) => {
      const outcome = rig.send({ repeatable: false });
      await rig.clock.settle();
      react(rig.only());
      await rig.clock.settle();
      expect(outcome.error).toBeInstanceOf(CwError);
      await rig.clock.advance(600_000);
      expect(rig.network.exchanges).toHaveLength(1);
    },
  );

  it('401 repeats also a request that is not repeatable: nothing was done', async () => {
    const outcome = rig.send({ repeatable: false });
    await rig.clock.settle();
    rig.only().respond(401);
    await rig.refreshBegins();
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('with Retry-After are repeated no sooner than asked, by seconds or by date', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(500, { 'Retry-After': '30' });
    await rig.clock.advance(29_999);
    expect(rig.open()).toHaveLength(0);
    await rig.clock.advance(1);
    rig.only().respond(503, { 'Retry-After': new Date(rig.clock.now() + 120_000).toUTCString() });
    await rig.clock.advance(119_999);
    expect(rig.open()).toHaveLength(0);
    await rig.clock.advance(1);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('with Retry-After as a date are repeated in time although the local clock is wrong', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    const now = rig.clock.now() - 86_400_000;
    rig.only().respond(503, {
      Date: new Date(now).toUTCString(),
      'Retry-After': new Date(now + 120_000).toUTCString(),
    });
    await rig.clock.advance(119_999);
    expect(rig.open()).toHaveLength(0);
    await rig.clock.advance(1);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('of 500 concern one request only: the others go on', async () => {
    rig = await QueueRig.create({ concurrency: 1 });
    const failing = rig.send();
    await rig.clock.settle();
    rig.only().respond(500);
    const other = rig.send();
    await rig.clock.settle();
    rig.only().respond(200);
    await rig.clock.settle();
    expect(other.state).toBe('resolved');
    expect(failing.state).toBe('pending');
    expect(rig.queue.state.get()).toEqual({ kind: 'open' });
  });
});

describe('a service that cannot be reached', () => {
  it('makes all requests wait, and is probed by a single one', async () => {
    const outcomes = Array.from({ length: 7 }, () => rig.send());
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.fail(unreachable);
    await rig.clock.settle();
    expect(rig.queue.state.get()).toMatchObject({ kind: 'waiting', until: rig.clock.now() + 1000 });
    for (const wait of [1000, 2000, 4000]) {
      await rig.clock.advance(wait - 1);
      expect(rig.open()).toHaveLength(0);
      await rig.clock.advance(1);
      rig.only().fail(unreachable);
      await rig.clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'pending')).toBe(true);
    await rig.clock.advance(8000);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(rig.queue.state.get()).toEqual({ kind: 'open' });
    while (rig.open().length > 0) {
      expect(rig.open().length).toBeLessThanOrEqual(3);
      rig.open()[0]?.respond(200);
      await rig.clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(rig.clock.pending).toBe(0);
  });

  it('is probed at least every fifteen seconds, however long it is unreachable', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().fail(unreachable);
    for (let probe = 0; probe < 12; probe += 1) {
      const before = rig.clock.elapsed;
      while (rig.open().length === 0) await rig.clock.advanceToNext();
      expect(rig.clock.elapsed - before).toBeLessThanOrEqual(15_000);
      rig.only().fail(unreachable);
      await rig.clock.settle();
    }
    await rig.clock.advance(15_000);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is probed at once with a new token when the user retries, also after a failed refresh', async () => {
    rig.refreshesByItself = false;
    rig.send();
    await rig.clock.settle();
    rig.only().respond(401);
    await rig.refreshBegins();
    rig.refreshes[0]?.fail(unreachable);
    await rig.clock.settle();
    expect(rig.queue.state.get()).toMatchObject({ kind: 'waiting' });
    // Before the wait after the failed refresh is over.
    rig.queue.retryNow();
    await rig.clock.settle();
    rig.only().respond(401);
    await rig.refreshBegins();
    expect(rig.refreshes).toHaveLength(2);
  });

  it('is probed at once when the user retries', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().fail(unreachable);
    await rig.clock.settle();
    rig.queue.retryNow();
    await rig.clock.settle();
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(rig.clock.elapsed).toBe(0);
  });

  it('makes requests wait when only the token endpoint is unreachable', async () => {
    rig.refreshesByItself = false;
    const outcomes = [rig.send(), rig.send()];
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.respond(401);
    await rig.refreshBegins();
    rig.refreshes[0]?.fail(unreachable);
    await rig.clock.settle();
    expect(rig.queue.state.get()).toMatchObject({ kind: 'waiting' });
    expect(outcomes.map(({ state }) => state)).toEqual(['pending', 'pending']);
    rig.refreshesByItself = true;
    while (outcomes.some(({ state }) => state === 'pending')) {
      for (const exchange of rig.open())
        exchange.respond(exchange.token === 'svc_at_1' ? 401 : 200);
      await rig.clock.advance(1000);
    }
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    expect(rig.refreshesAtOnce).toBe(1);
  });
});

it('settles every request in the end, never exceeds its bounds, and refreshes one at a time, whatever the service does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      rig = await QueueRig.create({ concurrency: 3, lifetimeMs: 30_000 });
      rig.refreshesByItself = false;
      const random = seededRandom(seed);
      const sources: CancelSource[] = [];
      const outcomes: Outcome<HttpResponse>[] = [];
      const statuses = [200, 200, 200, 401, 404, 408, 429, 500, 503];
      for (let step = 0; step < 60; step += 1) {
        const what = random();
        const exchange = rig.network.open[Math.floor(random() * rig.network.open.length)];
        if (what < 0.35) {
          const source = new CancelSource();
          sources.push(source);
          outcomes.push(rig.send({ repeatable: random() < 0.7 }, source));
        } else if (what < 0.75 && exchange) {
          if (random() < 0.2) exchange.fail(unreachable);
          else if (isRefresh(exchange)) rig.answerRefresh(exchange);
          else exchange.respond(statuses[Math.floor(random() * statuses.length)] ?? 200);
        } else if (what < 0.82) sources[Math.floor(random() * sources.length)]?.cancel();
        else if (what < 0.86) rig.queue.retryNow();
        else await rig.clock.advance(random() * 20_000);
        await rig.clock.settle();
        expect(rig.open().length).toBeLessThanOrEqual(3);
      }
      // From now on the service is well.
      for (
        let round = 0;
        round < 300 &&
        // A refresh may have begun just when the last request was answered.
        (outcomes.some(({ state }) => state === 'pending') || rig.network.open.length > 0);
        round += 1
      ) {
        for (const exchange of rig.network.open) {
          if (isRefresh(exchange)) rig.answerRefresh(exchange);
          else exchange.respond(200);
        }
        await rig.clock.advance(10_000);
      }
      expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([]);
      expect(rig.refreshesAtOnce).toBeLessThanOrEqual(1);
      expect(rig.network.open).toEqual([]);
      for (const { error } of outcomes)
        if (error !== undefined)
          expect([CwError, CancelledError]).toContain((error as Error).constructor);
    }),
    { numRuns: 60 },
  );
});
