import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { Outcome } from '../support/outcome.js';
import { BASE, QueueFixture } from './queue-fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let fixture: QueueFixture;

beforeEach(async () => {
  fixture = await QueueFixture.create();
});

describe('cancelling a request', () => {
  async function expectCancelled(outcome: Outcome<unknown>): Promise<void> {
    await fixture.clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
  }

  it('sends nothing when it comes before the start', async () => {
    const source = new CancelSource();
    source.cancel();
    await expectCancelled(fixture.send({}, source));
    expect(fixture.network.exchanges).toHaveLength(0);
  });

  it('ends a queued request at once, and never sends it', async () => {
    fixture = await QueueFixture.create({ concurrency: 1 });
    const first = fixture.send();
    const source = new CancelSource();
    const waiting = fixture.send({ url: `${BASE}/api/v1/never` }, source);
    const after = fixture.send();
    await fixture.clock.settle();
    source.cancel();
    await expectCancelled(waiting);
    fixture.only().respond(200);
    await fixture.clock.settle();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect([first.state, after.state]).toEqual(['resolved', 'resolved']);
    expect(fixture.network.exchanges).toHaveLength(2);
  });

  it('ends a request at once while all slots wait for the service', async () => {
    fixture = await QueueFixture.create({ concurrency: 1 });
    fixture.send();
    await fixture.clock.settle();
    fixture.only().fail(unreachable);
    const source = new CancelSource();
    const waiting = fixture.send({}, source);
    await fixture.clock.settle();
    source.cancel();
    await expectCancelled(waiting);
  });

  it('aborts an active request', async () => {
    const source = new CancelSource();
    const outcome = fixture.send({}, source);
    await fixture.clock.settle();
    const exchange = fixture.only();
    source.cancel();
    await expectCancelled(outcome);
    expect(exchange.isCancelled).toBe(true);
  });

  it('ends a request at once during a refresh, which continues for the others', async () => {
    fixture.refreshesByItself = false;
    const source = new CancelSource();
    const cancelled = fixture.send({}, source);
    const other = fixture.send();
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.respond(401);
    await fixture.refreshBegins();
    source.cancel();
    await expectCancelled(cancelled);
    if (fixture.refreshes[0]) fixture.answerRefresh(fixture.refreshes[0]);
    await fixture.clock.settle();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(other.state).toBe('resolved');
  });

  it('ends a request that waits for its retry, and does not send it again', async () => {
    const source = new CancelSource();
    const outcome = fixture.send({}, source);
    await fixture.clock.settle();
    fixture.only().respond(500);
    await fixture.clock.settle();
    source.cancel();
    await expectCancelled(outcome);
    await fixture.clock.advance(600_000);
    expect(fixture.network.exchanges).toHaveLength(1);
    expect(fixture.clock.pending).toBe(0);
  });

  it('ends a request while the service is unreachable, and the others succeed later', async () => {
    const sources = Array.from({ length: 5 }, () => new CancelSource());
    const outcomes = sources.map((source) => fixture.send({}, source));
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.fail(unreachable);
    await fixture.clock.settle();
    for (const index of [0, 2, 4]) sources[index]?.cancel();
    await fixture.clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual([
      'rejected',
      'pending',
      'rejected',
      'pending',
      'rejected',
    ]);
    await fixture.clock.advance(1000);
    fixture.only().respond(200);
    await fixture.clock.settle();
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual([
      'rejected',
      'resolved',
      'rejected',
      'resolved',
      'rejected',
    ]);
  });

  it('makes another request the probe when the probe is cancelled', async () => {
    const source = new CancelSource();
    const first = fixture.send({}, source);
    const second = fixture.send();
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.fail(unreachable);
    await fixture.clock.advance(1000);
    const probe = fixture.only();
    (probe === fixture.network.exchanges[2] ? source : new CancelSource()).cancel();
    await fixture.clock.settle();
    expect(first.error).toBeInstanceOf(CancelledError);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(second.state).toBe('resolved');
  });
});
