import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RequestQueue, type ApiRequest } from '../../src/api/request-queue.js';
import { CancelledError, CancelSource } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import type { HttpResponse } from '../../src/host/http.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';
import { seededRandom } from '../support/seeded-random.js';
import { signedInSession, testClient, type SignedInOptions } from './signed-in.js';

const BASE = 'https://service.example';
const unreachable = new CwError('CW-301', 'unreachable');

let clock: FakeClock;
let network: Conversation;
let queue: RequestQueue;
let refreshes: PendingExchange[];
/** Whether refreshes are answered at once; else they stay in `refreshes`. */
let refreshesByItself: boolean;
let refreshesAtOnce: number;

function isRefresh({ request }: PendingExchange): boolean {
  return request.url === `${BASE}/api/oauth/token`;
}

/** Requests to the data API on the wire. */
function open(): readonly PendingExchange[] {
  return network.open.filter((exchange) => !isRefresh(exchange));
}

function only(): PendingExchange {
  const [exchange, ...others] = open();
  if (!exchange || others.length > 0) throw new Error(`${open().length} requests are on the wire`);
  return exchange;
}

function answerRefresh(exchange: PendingExchange): void {
  const number = refreshes.indexOf(exchange) + 2;
  exchange.respond(
    200,
    {},
    {
      access_token: `svc_at_${number}`,
      refresh_token: `rt_${number}`,
      token_type: 'Bearer',
    },
  );
}

/** Lets a refresh get as far as its request: the session first makes sure that nobody else refreshes. */
async function refreshBegins(): Promise<void> {
  await clock.advance(500);
}

async function setUp(
  options: { concurrency?: number } & Partial<SignedInOptions> = {},
): Promise<void> {
  const { concurrency, ...sessionOptions } = options;
  clock = new FakeClock();
  network = new Conversation();
  refreshes = [];
  refreshesByItself = true;
  refreshesAtOnce = 0;
  network.onRequest = (exchange) => {
    if (!isRefresh(exchange)) return;
    refreshes.push(exchange);
    refreshesAtOnce = Math.max(refreshesAtOnce, network.open.filter(isRefresh).length);
    if (refreshesByItself) answerRefresh(exchange);
  };
  const session = await signedInSession({
    send: network.send,
    client: testClient(BASE),
    clock,
    ...sessionOptions,
  });
  queue = new RequestQueue({
    send: network.send,
    session,
    clock,
    random: () => 0,
    ...(concurrency === undefined ? {} : { concurrency }),
  });
}

function request(more: Partial<ApiRequest> = {}): ApiRequest {
  return { method: 'GET', url: `${BASE}/api/v1/x`, headers: {}, repeatable: true, ...more };
}

function send(more: Partial<ApiRequest> = {}, source?: CancelSource): Outcome<HttpResponse> {
  return outcomeOf(queue.send(request(more), source?.signal));
}

beforeEach(async () => {
  await setUp();
});

describe('the queue', () => {
  it.each([0, -1, 1.5, Number.NaN, Infinity])(
    'refuses a concurrency of %d',
    async (concurrency) => {
      await expect(setUp({ concurrency })).rejects.toThrow(TypeError);
    },
  );

  it('has never more requests on the wire than it may, and starts them in the order asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 20 }),
        async (concurrency, count) => {
          await setUp({ concurrency });
          const outcomes = Array.from({ length: count }, (_, index) =>
            send({ url: `${BASE}/api/v1/${index}` }),
          );
          await clock.settle();
          for (let done = 0; done < count; done += 1) {
            expect(open()).toHaveLength(Math.min(concurrency, count - done));
            open()[0]?.respond(200);
            await clock.settle();
          }
          expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
          expect(network.exchanges.map((exchange) => exchange.request.url)).toEqual(
            outcomes.map((_, index) => `${BASE}/api/v1/${index}`),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('has three requests on the wire unless told otherwise', async () => {
    for (let count = 0; count < 5; count += 1) send();
    await clock.settle();
    expect(open()).toHaveLength(3);
  });

  it('sends what it was given, with a token', async () => {
    const outcome = send({ method: 'POST', headers: { 'X-A': 'b' }, body: 'text' });
    await clock.settle();
    expect(only().request).toMatchObject({
      method: 'POST',
      url: `${BASE}/api/v1/x`,
      headers: { 'X-A': 'b', Authorization: 'Bearer svc_at_1' },
      body: 'text',
    });
    only().respond(201, { Location: '/x' }, 'made');
    await clock.settle();
    expect(outcome.value).toMatchObject({ status: 201, text: 'made' });
  });
});

describe('tokens', () => {
  it('are asked for anew at each attempt', async () => {
    const outcome = send();
    await clock.settle();
    expect(only().token).toBe('svc_at_1');
    only().respond(500);
    await clock.settle();
    // Meanwhile another request finds out that the token is good no longer.
    send();
    await clock.settle();
    only().respond(401);
    await refreshBegins();
    expect(only().token).toBe('svc_at_2');
    only().respond(200);
    await clock.advance(1000);
    expect(only().token).toBe('svc_at_2');
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('are refreshed once for any number of requests that were refused together, and each is repeated once', async () => {
    await setUp({ concurrency: 10 });
    refreshesByItself = false;
    const outcomes = Array.from({ length: 10 }, () => send());
    await clock.settle();
    for (const exchange of open()) exchange.respond(401);
    await refreshBegins();
    expect(refreshes).toHaveLength(1);
    expect(refreshes[0]?.request.body).toContain('refresh_token=rt_1');
    expect(open()).toHaveLength(0);
    if (refreshes[0]) answerRefresh(refreshes[0]);
    await clock.settle();
    expect(open().map(({ token }) => token)).toEqual(Array(10).fill('svc_at_2'));
    for (const exchange of open()) exchange.respond(200);
    await clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(refreshesAtOnce).toBe(1);
  });

  it('are not refreshed for a 401 that came to an outdated token', async () => {
    const first = send();
    const second = send();
    await clock.settle();
    const [one, two] = open();
    one?.respond(401);
    await refreshBegins();
    expect(refreshes).toHaveLength(1);
    two?.respond(401);
    await refreshBegins();
    expect(refreshes).toHaveLength(1);
    for (const exchange of open()) {
      expect(exchange.token).toBe('svc_at_2');
      exchange.respond(200);
    }
    await clock.settle();
    expect([first.state, second.state]).toEqual(['resolved', 'resolved']);
  });

  it('that are about to expire are refreshed before they are used', async () => {
    await setUp({ lifetimeMs: 5_000 });
    await clock.advance(4_500);
    send();
    await refreshBegins();
    expect(refreshes).toHaveLength(1);
    expect(only().token).toBe('svc_at_2');
  });

  it('that are still good for a while keep no request waiting, though a refresh begins', async () => {
    await setUp({ lifetimeMs: 5_000 });
    await clock.advance(3_000);
    send();
    await clock.settle();
    expect(only().token).toBe('svc_at_1');
    only().respond(200);
    await refreshBegins();
    send();
    await clock.settle();
    expect(only().token).toBe('svc_at_2');
    expect(refreshes).toHaveLength(1);
  });

  it('that the service ended at such a refresh cost their request one more attempt', async () => {
    await setUp({ lifetimeMs: 5_000 });
    await clock.advance(3_000);
    const outcome = send();
    await clock.settle();
    const refused = only();
    await refreshBegins();
    refused.respond(401);
    await clock.settle();
    expect(only().token).toBe('svc_at_2');
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(refreshes).toHaveLength(1);
  });

  it('that are refused though fresh make the queue wait, and not refresh for ever', async () => {
    const outcome = send();
    await clock.settle();
    only().respond(401);
    await refreshBegins();
    only().respond(401);
    await clock.settle();
    expect(outcome.state).toBe('pending');
    expect(open()).toHaveLength(0);
    expect(queue.state.get()).toMatchObject({
      kind: 'waiting',
      error: { code: 'CW-303', status: 401 },
    });
    await clock.advance(1000);
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(refreshes).toHaveLength(1);
  });

  it('that cannot be refreshed any more end every request with CW-202, also those still waiting', async () => {
    refreshesByItself = false;
    const outcomes = Array.from({ length: 6 }, () => send());
    await clock.settle();
    for (const exchange of open()) exchange.respond(401);
    await refreshBegins();
    refreshes[0]?.respond(400, {}, { error: 'invalid_grant' });
    await clock.settle();
    expect(outcomes.map(({ error }) => (error as CwError).code)).toEqual(Array(6).fill('CW-202'));
    expect(open()).toHaveLength(0);
    expect(refreshes).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('appear in no error', async () => {
    const outcome = send();
    await clock.settle();
    only().respond(403, {}, { error: 'insufficient_scope', error_description: 'svc_at_1' });
    await clock.settle();
    const error = outcome.error as CwError;
    expect(error.code).toBe('CW-203');
    const written = [
      error.message,
      error.stack,
      JSON.stringify(Object.values(error)),
      String(error.cause),
    ];
    expect(written.join()).not.toContain('svc_at_');
  });
});

describe('answers', () => {
  it.each([200, 201, 204])('%d is given to the caller', async (status) => {
    const outcome = send();
    await clock.settle();
    only().respond(status);
    await clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  it.each([
    [400, 'CW-603'],
    [403, 'CW-203'],
    [404, 'CW-603'],
    [409, 'CW-603'],
    [410, 'CW-603'],
    [412, 'CW-603'],
    [413, 'CW-604'],
    [415, 'CW-605'],
    [423, 'CW-603'],
    [460, 'CW-306'],
    [507, 'CW-606'],
    [501, 'CW-305'],
    [304, 'CW-305'],
    [100, 'CW-305'],
  ])('%d is the error %s, at once and for good', async (status, code) => {
    const outcome = send();
    await clock.settle();
    only().respond(status, { 'X-Request-Id': 'r-7' }, { error: 'some_reason' });
    await clock.settle();
    expect(outcome.error).toMatchObject({
      code,
      status,
      oauthError: 'some_reason',
      requestId: 'r-7',
    });
    expect(network.exchanges).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it.each([404, 409, 503])('%d is given to a caller who expects it', async (status) => {
    const outcome = send({ expectedStatuses: [status] });
    await clock.settle();
    only().respond(status);
    await clock.settle();
    expect(outcome.value?.status).toBe(status);
  });

  const passing: [string, (exchange: PendingExchange) => void][] = [
    ...[408, 425, 429, 500, 502, 503, 504].map(
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
      const outcome = send();
      await clock.settle();
      for (const wait of [1000, 2000, 4000]) {
        react(only());
        await clock.advance(wait - 1);
        expect(open()).toHaveLength(0);
        await clock.advance(1);
        expect(open()).toHaveLength(1);
      }
      only().respond(200);
      await clock.settle();
      expect(outcome.state).toBe('resolved');
      expect(network.exchanges).toHaveLength(4);
      expect(clock.pending).toBe(0);
    },
  );

  it.each(passing)(
    '%s ends a request that is not repeatable, after one attempt',
    async (_name, react) => {
      const outcome = send({ repeatable: false });
      await clock.settle();
      react(only());
      await clock.settle();
      expect(outcome.error).toBeInstanceOf(CwError);
      await clock.advance(600_000);
      expect(network.exchanges).toHaveLength(1);
    },
  );

  it('401 repeats also a request that is not repeatable: nothing was done', async () => {
    const outcome = send({ repeatable: false });
    await clock.settle();
    only().respond(401);
    await refreshBegins();
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('with Retry-After are repeated no sooner than asked, by seconds or by date', async () => {
    const outcome = send();
    await clock.settle();
    only().respond(500, { 'Retry-After': '30' });
    await clock.advance(29_999);
    expect(open()).toHaveLength(0);
    await clock.advance(1);
    only().respond(503, { 'Retry-After': new Date(clock.now() + 120_000).toUTCString() });
    await clock.advance(119_999);
    expect(open()).toHaveLength(0);
    await clock.advance(1);
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('of 500 concern one request only: the others go on', async () => {
    await setUp({ concurrency: 1 });
    const failing = send();
    await clock.settle();
    only().respond(500);
    const other = send();
    await clock.settle();
    only().respond(200);
    await clock.settle();
    expect(other.state).toBe('resolved');
    expect(failing.state).toBe('pending');
    expect(queue.state.get()).toEqual({ kind: 'open' });
  });
});

describe('a service that cannot be reached', () => {
  it('is waited for as one, and tried by a single request', async () => {
    const outcomes = Array.from({ length: 7 }, () => send());
    await clock.settle();
    for (const exchange of open()) exchange.fail(unreachable);
    await clock.settle();
    expect(queue.state.get()).toMatchObject({ kind: 'waiting', until: clock.now() + 1000 });
    for (const wait of [1000, 2000, 4000]) {
      await clock.advance(wait - 1);
      expect(open()).toHaveLength(0);
      await clock.advance(1);
      only().fail(unreachable);
      await clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'pending')).toBe(true);
    await clock.advance(8000);
    only().respond(200);
    await clock.settle();
    expect(queue.state.get()).toEqual({ kind: 'open' });
    while (open().length > 0) {
      expect(open().length).toBeLessThanOrEqual(3);
      open()[0]?.respond(200);
      await clock.settle();
    }
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('is tried every fifteen seconds at least, however long it is away', async () => {
    const outcome = send();
    await clock.settle();
    only().fail(unreachable);
    for (let probe = 0; probe < 12; probe += 1) {
      const before = clock.elapsed;
      while (open().length === 0) await clock.advanceToNext();
      expect(clock.elapsed - before).toBeLessThanOrEqual(15_000);
      only().fail(unreachable);
      await clock.settle();
    }
    await clock.advance(15_000);
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is tried with a new token at once when the person asks, also if refreshing has failed', async () => {
    refreshesByItself = false;
    send();
    await clock.settle();
    only().respond(401);
    await refreshBegins();
    refreshes[0]?.fail(unreachable);
    await clock.settle();
    expect(queue.state.get()).toMatchObject({ kind: 'waiting' });
    // Before the wait after the failed refresh is over.
    queue.retryNow();
    await clock.settle();
    only().respond(401);
    await refreshBegins();
    expect(refreshes).toHaveLength(2);
  });

  it('is tried at once when the person asks', async () => {
    const outcome = send();
    await clock.settle();
    only().fail(unreachable);
    await clock.settle();
    queue.retryNow();
    await clock.settle();
    only().respond(200);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(clock.elapsed).toBe(0);
  });

  it('is waited for also when only the token endpoint cannot be reached', async () => {
    refreshesByItself = false;
    const outcomes = [send(), send()];
    await clock.settle();
    for (const exchange of open()) exchange.respond(401);
    await refreshBegins();
    refreshes[0]?.fail(unreachable);
    await clock.settle();
    expect(queue.state.get()).toMatchObject({ kind: 'waiting' });
    expect(outcomes.map(({ state }) => state)).toEqual(['pending', 'pending']);
    refreshesByItself = true;
    while (outcomes.some(({ state }) => state === 'pending')) {
      for (const exchange of open()) exchange.respond(exchange.token === 'svc_at_1' ? 401 : 200);
      await clock.advance(1000);
    }
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    expect(refreshesAtOnce).toBe(1);
  });
});

describe('cancelling', () => {
  async function expectCancelled(outcome: Outcome<unknown>): Promise<void> {
    await clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
  }

  it('before it began sends nothing', async () => {
    const source = new CancelSource();
    source.cancel();
    await expectCancelled(send({}, source));
    expect(network.exchanges).toHaveLength(0);
  });

  it('while it waits for its turn ends it at once, and it is never sent', async () => {
    await setUp({ concurrency: 1 });
    const first = send();
    const source = new CancelSource();
    const waiting = send({ url: `${BASE}/api/v1/never` }, source);
    const after = send();
    await clock.settle();
    source.cancel();
    await expectCancelled(waiting);
    only().respond(200);
    await clock.settle();
    only().respond(200);
    await clock.settle();
    expect([first.state, after.state]).toEqual(['resolved', 'resolved']);
    expect(network.exchanges).toHaveLength(2);
  });

  it('while all places are taken by requests that wait for the service ends it at once', async () => {
    await setUp({ concurrency: 1 });
    send();
    await clock.settle();
    only().fail(unreachable);
    const source = new CancelSource();
    const waiting = send({}, source);
    await clock.settle();
    source.cancel();
    await expectCancelled(waiting);
  });

  it('on the wire ends the exchange', async () => {
    const source = new CancelSource();
    const outcome = send({}, source);
    await clock.settle();
    const exchange = only();
    source.cancel();
    await expectCancelled(outcome);
    expect(exchange.isCancelled).toBe(true);
  });

  it('while the token is refreshed ends it at once, and the refresh goes on for the others', async () => {
    refreshesByItself = false;
    const source = new CancelSource();
    const cancelled = send({}, source);
    const other = send();
    await clock.settle();
    for (const exchange of open()) exchange.respond(401);
    await refreshBegins();
    source.cancel();
    await expectCancelled(cancelled);
    if (refreshes[0]) answerRefresh(refreshes[0]);
    await clock.settle();
    only().respond(200);
    await clock.settle();
    expect(other.state).toBe('resolved');
  });

  it('while it waits to be sent again ends it, and it is not sent again', async () => {
    const source = new CancelSource();
    const outcome = send({}, source);
    await clock.settle();
    only().respond(500);
    await clock.settle();
    source.cancel();
    await expectCancelled(outcome);
    await clock.advance(600_000);
    expect(network.exchanges).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('while the service cannot be reached ends it, and the others still get through', async () => {
    const sources = Array.from({ length: 5 }, () => new CancelSource());
    const outcomes = sources.map((source) => send({}, source));
    await clock.settle();
    for (const exchange of open()) exchange.fail(unreachable);
    await clock.settle();
    for (const index of [0, 2, 4]) sources[index]?.cancel();
    await clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual([
      'rejected',
      'pending',
      'rejected',
      'pending',
      'rejected',
    ]);
    await clock.advance(1000);
    only().respond(200);
    await clock.settle();
    only().respond(200);
    await clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual([
      'rejected',
      'resolved',
      'rejected',
      'resolved',
      'rejected',
    ]);
  });

  it('the probe makes another request the probe', async () => {
    const source = new CancelSource();
    const first = send({}, source);
    const second = send();
    await clock.settle();
    for (const exchange of open()) exchange.fail(unreachable);
    await clock.advance(1000);
    const probe = only();
    (probe === network.exchanges[2] ? source : new CancelSource()).cancel();
    await clock.settle();
    expect(first.error).toBeInstanceOf(CancelledError);
    only().respond(200);
    await clock.settle();
    expect(second.state).toBe('resolved');
  });
});

it('settles every request in the end, never exceeds its bounds, and refreshes one at a time, whatever the service does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      await setUp({ concurrency: 3, lifetimeMs: 30_000 });
      refreshesByItself = false;
      const random = seededRandom(seed);
      const sources: CancelSource[] = [];
      const outcomes: Outcome<HttpResponse>[] = [];
      const statuses = [200, 200, 200, 401, 404, 408, 429, 500, 503];
      for (let step = 0; step < 60; step += 1) {
        const what = random();
        const exchange = network.open[Math.floor(random() * network.open.length)];
        if (what < 0.35) {
          const source = new CancelSource();
          sources.push(source);
          outcomes.push(send({ repeatable: random() < 0.7 }, source));
        } else if (what < 0.75 && exchange) {
          if (random() < 0.2) exchange.fail(unreachable);
          else if (isRefresh(exchange)) answerRefresh(exchange);
          else exchange.respond(statuses[Math.floor(random() * statuses.length)] ?? 200);
        } else if (what < 0.82) sources[Math.floor(random() * sources.length)]?.cancel();
        else if (what < 0.86) queue.retryNow();
        else await clock.advance(random() * 20_000);
        await clock.settle();
        expect(open().length).toBeLessThanOrEqual(3);
      }
      // From now on the service is well.
      for (
        let round = 0;
        round < 300 &&
        // A refresh may have begun just when the last request was answered.
        (outcomes.some(({ state }) => state === 'pending') || network.open.length > 0);
        round += 1
      ) {
        for (const exchange of network.open) {
          if (isRefresh(exchange)) answerRefresh(exchange);
          else exchange.respond(200);
        }
        await clock.advance(10_000);
      }
      expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([]);
      expect(refreshesAtOnce).toBeLessThanOrEqual(1);
      expect(network.open).toEqual([]);
      for (const { error } of outcomes)
        if (error !== undefined)
          expect([CwError, CancelledError]).toContain((error as Error).constructor);
    }),
    { numRuns: 60 },
  );
});
