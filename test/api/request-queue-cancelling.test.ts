import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { Outcome } from '../support/outcome.js';
import { BASE, QueueRig } from './queue-fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let rig: QueueRig;

beforeEach(async () => {
  rig = await QueueRig.create();
});

describe('cancelling', () => {
  async function expectCancelled(outcome: Outcome<unknown>): Promise<void> {
    await rig.clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
  }

  it('sends nothing when it comes before the start', async () => {
    const source = new CancelSource();
    source.cancel();
    await expectCancelled(rig.send({}, source));
    expect(rig.network.exchanges).toHaveLength(0);
  });

  it('ends a queued request at once, and never sends it', async () => {
    rig = await QueueRig.create({ concurrency: 1 });
    const first = rig.send();
    const source = new CancelSource();
    const waiting = rig.send({ url: `${BASE}/api/v1/never` }, source);
    const after = rig.send();
    await rig.clock.settle();
    source.cancel();
    await expectCancelled(waiting);
    rig.only().respond(200);
    await rig.clock.settle();
    rig.only().respond(200);
    await rig.clock.settle();
    expect([first.state, after.state]).toEqual(['resolved', 'resolved']);
    expect(rig.network.exchanges).toHaveLength(2);
  });

  it('ends a request at once while all slots wait for the service', async () => {
    rig = await QueueRig.create({ concurrency: 1 });
    rig.send();
    await rig.clock.settle();
    rig.only().fail(unreachable);
    const source = new CancelSource();
    const waiting = rig.send({}, source);
    await rig.clock.settle();
    source.cancel();
    await expectCancelled(waiting);
  });

  it('aborts an active request', async () => {
    const source = new CancelSource();
    const outcome = rig.send({}, source);
    await rig.clock.settle();
    const exchange = rig.only();
    source.cancel();
    await expectCancelled(outcome);
    expect(exchange.isCancelled).toBe(true);
  });

  it('ends a request at once during a refresh, which continues for the others', async () => {
    rig.refreshesByItself = false;
    const source = new CancelSource();
    const cancelled = rig.send({}, source);
    const other = rig.send();
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.respond(401);
    await rig.refreshBegins();
    source.cancel();
    await expectCancelled(cancelled);
    if (rig.refreshes[0]) rig.answerRefresh(rig.refreshes[0]);
    await rig.clock.settle();
    rig.only().respond(200);
    await rig.clock.settle();
    expect(other.state).toBe('resolved');
  });

  it('ends a request that waits for its retry, and does not send it again', async () => {
    const source = new CancelSource();
    const outcome = rig.send({}, source);
    await rig.clock.settle();
    rig.only().respond(500);
    await rig.clock.settle();
    source.cancel();
    await expectCancelled(outcome);
    await rig.clock.advance(600_000);
    expect(rig.network.exchanges).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
  });

  it('ends a request while the service is unreachable, and the others succeed later', async () => {
    const sources = Array.from({ length: 5 }, () => new CancelSource());
    const outcomes = sources.map((source) => rig.send({}, source));
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.fail(unreachable);
    await rig.clock.settle();
    for (const index of [0, 2, 4]) sources[index]?.cancel();
    await rig.clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual([
      'rejected',
      'pending',
      'rejected',
      'pending',
      'rejected',
    ]);
    await rig.clock.advance(1000);
    rig.only().respond(200);
    await rig.clock.settle();
    rig.only().respond(200);
    await rig.clock.settle();
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
    const first = rig.send({}, source);
    const second = rig.send();
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.fail(unreachable);
    await rig.clock.advance(1000);
    const probe = rig.only();
    (probe === rig.network.exchanges[2] ? source : new CancelSource()).cancel();
    await rig.clock.settle();
    expect(first.error).toBeInstanceOf(CancelledError);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(second.state).toBe('resolved');
  });
});
