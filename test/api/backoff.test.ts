import { beforeEach, describe, expect, it } from '@jest/globals';
import { RequestQueue, type ApiRequest } from '../../src/api/request-queue.js';
import { CancelSource } from '../../src/util/cancel.js';
import type { HttpResponse } from '../../src/host/http.js';
import { httpResponse } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { signedInSession, testClient } from './signed-in.js';

/** Retries of a request: doubling delays minus a random part, and not before Retry-After. */
let clock: FakeClock;
let sentAt: number[];
/** The scripted responses, in order; the last one repeats. */
let answers: HttpResponse[];

const REQUEST: ApiRequest = {
  method: 'HEAD',
  url: 'https://service.example/api/v1/uploads/1',
  headers: {},
  repeatable: true,
};
/** Concerns all requests: the queue waits as one. */
const BUSY = httpResponse(503);
/** Concerns one request: it waits alone. */
const FAILED = httpResponse(500);
const FINE = httpResponse(200);

beforeEach(() => {
  clock = new FakeClock();
  sentAt = [];
});

async function queue(random: number): Promise<RequestQueue> {
  const send = (): Promise<HttpResponse> => {
    sentAt.push(clock.elapsed);
    const [answer = FINE] = answers.length > 1 ? answers.splice(0, 1) : answers;
    return Promise.resolve(answer);
  };
  const session = await signedInSession({
    send,
    client: testClient('https://service.example'),
    clock,
  });
  return new RequestQueue({ send, session, clock, random: () => random });
}

/** The waits between requests, in milliseconds, until so many have gone out. */
async function waits(count: number): Promise<number[]> {
  while (sentAt.length <= count) await clock.advanceToNext();
  return sentAt.slice(1, count + 1).map((at, index) => at - (sentAt[index] ?? 0));
}

describe.each([
  ['as one', BUSY],
  ['alone', FAILED],
])('a request that waits %s', (_how, trouble) => {
  it('waits twice as long each time, up to a quarter of a minute', async () => {
    answers = [trouble];
    const source = new CancelSource();
    void (await queue(0)).send(REQUEST, source.signal).catch(() => undefined);
    expect(await waits(6)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    source.cancel();
  });

  it('waits up to a quarter less, at random', async () => {
    answers = [trouble];
    const source = new CancelSource();
    void (await queue(0.8)).send(REQUEST, source.signal).catch(() => undefined);
    expect(await waits(5)).toEqual([800, 1_600, 3_200, 6_400, 12_000]);
    source.cancel();
  });

  it('waits as long as Retry-After requires', async () => {
    answers = [httpResponse(trouble.status, { 'Retry-After': '90' }), trouble];
    const source = new CancelSource();
    void (await queue(0)).send(REQUEST, source.signal).catch(() => undefined);
    expect(await waits(2)).toEqual([90_000, 2_000]);
    source.cancel();
  });

  it('resets its delay after a success', async () => {
    answers = [trouble, trouble, FINE];
    const one = await queue(0);
    const first = one.send(REQUEST);
    expect(await waits(2)).toEqual([1_000, 2_000]);
    await first;
    sentAt = [];
    answers = [trouble, FINE];
    const second = one.send(REQUEST);
    await clock.settle();
    expect(await waits(1)).toEqual([1_000]);
    await second;
  });
});

it('resets the next delay when the user retries', async () => {
  answers = [BUSY];
  const source = new CancelSource();
  const one = await queue(0);
  void one.send(REQUEST, source.signal).catch(() => undefined);
  await waits(3);
  sentAt = [];
  one.retryNow();
  await clock.settle();
  expect(sentAt).toHaveLength(1);
  expect(await waits(2)).toEqual([1_000, 2_000]);
  source.cancel();
});
