import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../src/api/capabilities.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { CapabilityProbe } from '../../src/api/tus-capabilities.js';
import { createTransport } from '../../src/api/transport.js';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { SendHttp } from '../../src/host/http.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf } from '../support/outcome.js';
import { signedInSession, testClient } from './signed-in.js';

const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;
const ALL = {
  'Tus-Extension':
    'creation,creation-with-upload,termination,client-upload-id,repr-digest,known-uploads,project-destination,photo-versions,upload-receipts,device-queue,upload-posters,photo-list',
  'Tus-Max-Size': '1000',
};
const EVERYTHING = {
  creationWithUpload: true,
  clientUploadId: true,
  reprDigest: true,
  knownUploads: true,
  projectDestination: true,
  photoVersions: true,
  uploadReceipts: true,
  deviceQueue: true,
  uploadPosters: true,
  photoList: true,
  maxSize: 1000,
};

let clock: FakeClock;
let network: Conversation;
let question: CapabilityProbe;

async function setUp(send?: SendHttp): Promise<void> {
  clock = new FakeClock();
  network = new Conversation();
  const session = await signedInSession({ send: network.send, client: testClient(BASE), clock });
  const queue = new RequestQueue({
    send: send ?? network.send,
    session,
    clock,
    random: () => 0,
  });
  question = new CapabilityProbe({ queue, endpoint: ENDPOINT });
}

beforeEach(() => setUp());

async function asked(): Promise<PendingExchange> {
  await clock.settle();
  const exchange = network.only;
  expect(`${exchange.request.method} ${exchange.request.url}`).toBe(`OPTIONS ${ENDPOINT}`);
  return exchange;
}

describe('capabilities of the service', () => {
  it('are requested once for all callers, and then cached', async () => {
    const outcomes = [outcomeOf(question.get()), outcomeOf(question.get())];
    (await asked()).respond(204, ALL);
    await clock.settle();
    expect(outcomes.map(({ value }) => value)).toEqual([EVERYTHING, EVERYTHING]);
    expect(await question.get()).toEqual(EVERYTHING);
    expect(network.exchanges).toHaveLength(1);
  });

  it.each([
    ['its version alone', { 'Tus-Version': '1.0.0' }],
    ['other extensions alone', { 'Tus-Extension': 'creation,checksum,expiration' }],
    ['names that only begin so', { 'Tus-Extension': 'creation-with-uploads, client-upload-id2' }],
    ['an endless list', { 'Tus-Extension': `${'x,'.repeat(1000)},creation-with-upload` }],
    ['no size', { 'Tus-Max-Size': '0' }],
    ['a size in hexadecimal', { 'Tus-Max-Size': '0x10' }],
    ['a size beyond all numbers', { 'Tus-Max-Size': '9'.repeat(30) }],
  ])('are creation only for the response %s', async (_name, headers: Record<string, string>) => {
    const outcome = outcomeOf(question.get());
    (await asked()).respond(204, headers);
    await clock.settle();
    expect(outcome.value).toEqual(BASIC_CAPABILITIES);
  });

  it('are parsed with any spaces in the list', async () => {
    const outcome = outcomeOf(question.get());
    (await asked()).respond(200, { 'Tus-Extension': ' creation ,  client-upload-id' });
    await clock.settle();
    expect(outcome.value).toEqual({ ...BASIC_CAPABILITIES, clientUploadId: true });
  });

  it.each([400, 403, 404, 405, 501])(
    'are creation only after a refusal with %d, without a retry',
    async (status) => {
      const outcome = outcomeOf(question.get());
      (await asked()).respond(status, { 'Tus-Resumable': '1.0.0' });
      await clock.settle();
      expect(outcome.value).toEqual(BASIC_CAPABILITIES);
      await question.get();
      expect(network.exchanges).toHaveLength(1);
    },
  );

  it('are creation only when the host refuses to send the request', async () => {
    await setUp(
      createTransport({
        createXhr: () => {
          throw new Error('no such method');
        },
        clock,
        origin: testClient(BASE).origin,
      }),
    );
    const outcome = outcomeOf(question.get());
    await clock.settle();
    expect(outcome.value).toEqual(BASIC_CAPABILITIES);
  });
});

describe('a failed capability request', () => {
  it.each([429, 503])('is retried after a transient error (%d)', async (status) => {
    const outcome = outcomeOf(question.get());
    for (let time = 0; time < 20; time += 1) {
      (await asked()).respond(status);
      await clock.runUntil(() => network.open.length > 0, { stepMs: 1000 });
    }
    expect(outcome.state).toBe('pending');
    (await asked()).respond(204, ALL);
    await clock.settle();
    expect(outcome.value).toEqual(EVERYTHING);
  });

  it('is retried for some minutes without a connection; then uploads continue with creation only', async () => {
    const outcome = outcomeOf(question.get());
    const isOver = (): boolean => outcome.state !== 'pending';
    let times = 0;
    while (!isOver()) {
      (await asked()).fail(new CwError('CW-301', 'unreachable'));
      times += 1;
      await clock.runUntil(() => network.open.length > 0 || isOver(), { stepMs: 1000 });
    }
    expect(clock.elapsed).toBeGreaterThan(100_000);
    expect(times).toBeLessThan(20);
    expect(outcome.value).toEqual(BASIC_CAPABILITIES);
    const again = outcomeOf(question.get());
    await clock.runUntil(() => network.open.length > 0, { stepMs: 1000 });
    (await asked()).respond(204, ALL);
    await clock.settle();
    expect(again.value).toEqual(EVERYTHING);
  });

  it.each([
    ['no answer', (exchange: PendingExchange) => exchange.fail(new CwError('CW-302', 'silence'))],
    ['500', (exchange: PendingExchange) => exchange.respond(500)],
    ['a gateway’s own 204', (exchange: PendingExchange) => exchange.respond(204)],
  ])('does not stop uploads (%s)', async (_name, trouble) => {
    const outcome = outcomeOf(question.get());
    for (let time = 0; time < 2; time += 1) {
      await clock.runUntil(() => network.open.length > 0, { stepMs: 1000 });
      trouble(await asked());
    }
    await clock.settle();
    expect(outcome.value).toEqual(BASIC_CAPABILITIES);
  });

  it.each([200, 403, 405])(
    'is retried for some minutes after a foreign response (%d)',
    async (status) => {
      const ask = async (): Promise<number> => {
        const outcome = outcomeOf(question.get());
        const isOver = (): boolean => outcome.state !== 'pending';
        let times = 0;
        while (!isOver()) {
          await clock.runUntil(() => network.open.length > 0, { stepMs: 1000 });
          (await asked()).respond(status, {}, '<html>');
          times += 1;
          await clock.runUntil(() => network.open.length > 0 || isOver(), { stepMs: 1000 });
        }
        expect(outcome.value).toEqual(BASIC_CAPABILITIES);
        return times;
      };
      expect(await ask()).toBe(12);
      expect(clock.elapsed).toBeGreaterThan(60_000);
      // A filter that lets everything but this question through must not delay each photo so.
      expect(await ask()).toBe(1);
      const again = outcomeOf(question.get());
      await clock.runUntil(() => network.open.length > 0, { stepMs: 1000 });
      (await asked()).respond(204, ALL);
      await clock.settle();
      expect(again.value).toEqual(EVERYTHING);
    },
  );

  it('reports a session error, and the next upload requests again', async () => {
    const outcome = outcomeOf(question.get());
    (await asked()).respond(401);
    await clock.advance(500);
    network.only.respond(400, {}, { error: 'invalid_grant' });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-202' });
    expect(outcomeOf(question.get()).state).toBe('pending');
  });
});

describe('a capability request without callers', () => {
  it('is cancelled when its last caller has left', async () => {
    const [first, second] = [new CancelSource(), new CancelSource()];
    const outcomes = [first, second].map(({ signal }) => outcomeOf(question.get(signal)));
    const exchange = await asked();
    first.cancel();
    await clock.settle();
    expect(outcomes[0]?.error).toBeInstanceOf(CancelledError);
    expect(exchange.isCancelled).toBe(false);
    second.cancel();
    await clock.settle();
    expect(outcomes[1]?.error).toBeInstanceOf(CancelledError);
    expect(exchange.isCancelled).toBe(true);
    const again = outcomeOf(question.get());
    (await asked()).respond(204, ALL);
    await clock.settle();
    expect(again.value).toEqual(EVERYTHING);
  });
});

describe('invalidated capabilities', () => {
  it('are requested again at most three times', async () => {
    for (let time = 0; time < 6; time += 1) {
      const outcome = outcomeOf(question.get());
      await clock.settle();
      if (network.open.length > 0)
        (await asked()).respond(204, time === 2 ? { 'Tus-Version': '1.0.0' } : ALL);
      await clock.settle();
      expect(outcome.value).toEqual(time === 2 ? BASIC_CAPABILITIES : EVERYTHING);
      question.invalidate();
      question.invalidate();
    }
    expect(network.exchanges).toHaveLength(4);
  });
});
