import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CwError } from '../../src/util/errors.js';
import { QueueRig } from './queue-fixture.js';

let rig: QueueRig;

beforeEach(async () => {
  rig = await QueueRig.create();
});

describe('tokens', () => {
  it('are requested again for each attempt', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    expect(rig.only().token).toBe('svc_at_1');
    rig.only().respond(500);
    await rig.clock.settle();
    // Meanwhile another request finds out that the token is good no longer.
    rig.send();
    await rig.clock.settle();
    rig.only().respond(401);
    await rig.refreshBegins();
    expect(rig.only().token).toBe('svc_at_2');
    rig.only().respond(200);
    await rig.clock.advance(1000);
    expect(rig.only().token).toBe('svc_at_2');
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('are refreshed once for any number of requests that were refused together, and each is repeated once', async () => {
    rig = await QueueRig.create({ concurrency: 10 });
    rig.refreshesByItself = false;
    const outcomes = Array.from({ length: 10 }, () => rig.send());
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.respond(401);
    await rig.refreshBegins();
    expect(rig.refreshes).toHaveLength(1);
    expect(rig.refreshes[0]?.request.body).toContain('refresh_token=rt_1');
    expect(rig.open()).toHaveLength(0);
    if (rig.refreshes[0]) rig.answerRefresh(rig.refreshes[0]);
    await rig.clock.settle();
    expect(rig.open().map(({ token }) => token)).toEqual(Array(10).fill('svc_at_2'));
    for (const exchange of rig.open()) exchange.respond(200);
    await rig.clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(rig.refreshesAtOnce).toBe(1);
  });

  it('are not refreshed for a 401 to an outdated token', async () => {
    const first = rig.send();
    const second = rig.send();
    await rig.clock.settle();
    const [one, two] = rig.open();
    one?.respond(401);
    await rig.refreshBegins();
    expect(rig.refreshes).toHaveLength(1);
    two?.respond(401);
    await rig.refreshBegins();
    expect(rig.refreshes).toHaveLength(1);
    for (const exchange of rig.open()) {
      expect(exchange.token).toBe('svc_at_2');
      exchange.respond(200);
    }
    await rig.clock.settle();
    expect([first.state, second.state]).toEqual(['resolved', 'resolved']);
  });

  it('that are about to expire are refreshed before they are used', async () => {
    rig = await QueueRig.create({ lifetimeMs: 5_000 });
    await rig.clock.advance(4_500);
    rig.send();
    await rig.refreshBegins();
    expect(rig.refreshes).toHaveLength(1);
    expect(rig.only().token).toBe('svc_at_2');
  });

  it('delay no request while they are valid, though a refresh begins', async () => {
    rig = await QueueRig.create({ lifetimeMs: 5_000 });
    await rig.clock.advance(3_000);
    rig.send();
    await rig.clock.settle();
    expect(rig.only().token).toBe('svc_at_1');
    rig.only().respond(200);
    await rig.refreshBegins();
    rig.send();
    await rig.clock.settle();
    expect(rig.only().token).toBe('svc_at_2');
    expect(rig.refreshes).toHaveLength(1);
  });

  it('cost their request one more attempt when the service ended the session at such a refresh', async () => {
    rig = await QueueRig.create({ lifetimeMs: 5_000 });
    await rig.clock.advance(3_000);
    const outcome = rig.send();
    await rig.clock.settle();
    const refused = rig.only();
    await rig.refreshBegins();
    refused.respond(401);
    await rig.clock.settle();
    expect(rig.only().token).toBe('svc_at_2');
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(rig.refreshes).toHaveLength(1);
  });

  it('make the queue wait when they are refused though fresh, without endless refreshes', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(401);
    await rig.refreshBegins();
    rig.only().respond(401);
    await rig.clock.settle();
    expect(outcome.state).toBe('pending');
    expect(rig.open()).toHaveLength(0);
    expect(rig.queue.state.get()).toMatchObject({
      kind: 'waiting',
      error: { code: 'CW-303', status: 401 },
    });
    await rig.clock.advance(1000);
    rig.only().respond(200);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(rig.refreshes).toHaveLength(1);
  });

  it('end every request with CW-202 when they can no longer be refreshed', async () => {
    rig.refreshesByItself = false;
    const outcomes = Array.from({ length: 6 }, () => rig.send());
    await rig.clock.settle();
    for (const exchange of rig.open()) exchange.respond(401);
    await rig.refreshBegins();
    rig.refreshes[0]?.respond(400, {}, { error: 'invalid_grant' });
    await rig.clock.settle();
    expect(outcomes.map(({ error }) => (error as CwError).code)).toEqual(Array(6).fill('CW-202'));
    expect(rig.open()).toHaveLength(0);
    expect(rig.refreshes).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
  });

  it('appear in no error', async () => {
    const outcome = rig.send();
    await rig.clock.settle();
    rig.only().respond(403, {}, { error: 'insufficient_scope', error_description: 'svc_at_1' });
    await rig.clock.settle();
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
