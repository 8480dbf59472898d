import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CwError } from '../../src/util/errors.js';
import { QueueFixture } from './queue-fixture.js';

let fixture: QueueFixture;

beforeEach(async () => {
  fixture = await QueueFixture.create();
});

describe('tokens of the request queue', () => {
  it('are requested again for each attempt', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    expect(fixture.only().token).toBe('svc_at_1');
    fixture.only().respond(500);
    await fixture.clock.settle();
    // At the same time another request gets 401 for the token.
    fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(401);
    await fixture.refreshBegins();
    expect(fixture.only().token).toBe('svc_at_2');
    fixture.only().respond(200);
    await fixture.clock.advance(1000);
    expect(fixture.only().token).toBe('svc_at_2');
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('are refreshed once for any number of concurrent 401s, and each request is repeated once', async () => {
    fixture = await QueueFixture.create({ concurrency: 10 });
    fixture.refreshesByItself = false;
    const outcomes = Array.from({ length: 10 }, () => fixture.send());
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.respond(401);
    await fixture.refreshBegins();
    expect(fixture.refreshes).toHaveLength(1);
    expect(fixture.refreshes[0]?.request.body).toContain('refresh_token=rt_1');
    expect(fixture.open()).toHaveLength(0);
    if (fixture.refreshes[0]) fixture.answerRefresh(fixture.refreshes[0]);
    await fixture.clock.settle();
    expect(fixture.open().map(({ token }) => token)).toEqual(Array(10).fill('svc_at_2'));
    for (const exchange of fixture.open()) exchange.respond(200);
    await fixture.clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(fixture.refreshesAtOnce).toBe(1);
  });

  it('are not refreshed for a 401 to an outdated token', async () => {
    const first = fixture.send();
    const second = fixture.send();
    await fixture.clock.settle();
    const [one, two] = fixture.open();
    one?.respond(401);
    await fixture.refreshBegins();
    expect(fixture.refreshes).toHaveLength(1);
    two?.respond(401);
    await fixture.refreshBegins();
    expect(fixture.refreshes).toHaveLength(1);
    for (const exchange of fixture.open()) {
      expect(exchange.token).toBe('svc_at_2');
      exchange.respond(200);
    }
    await fixture.clock.settle();
    expect([first.state, second.state]).toEqual(['resolved', 'resolved']);
  });

  it('are refreshed before use when they are about to expire', async () => {
    fixture = await QueueFixture.create({ lifetimeMs: 5_000 });
    await fixture.clock.advance(4_500);
    fixture.send();
    await fixture.refreshBegins();
    expect(fixture.refreshes).toHaveLength(1);
    expect(fixture.only().token).toBe('svc_at_2');
  });

  it('delay no request during a refresh while they are valid', async () => {
    fixture = await QueueFixture.create({ lifetimeMs: 5_000 });
    await fixture.clock.advance(3_000);
    fixture.send();
    await fixture.clock.settle();
    expect(fixture.only().token).toBe('svc_at_1');
    fixture.only().respond(200);
    await fixture.refreshBegins();
    fixture.send();
    await fixture.clock.settle();
    expect(fixture.only().token).toBe('svc_at_2');
    expect(fixture.refreshes).toHaveLength(1);
  });

  it('give their request one more attempt when such a refresh ends the session', async () => {
    fixture = await QueueFixture.create({ lifetimeMs: 5_000 });
    await fixture.clock.advance(3_000);
    const outcome = fixture.send();
    await fixture.clock.settle();
    const refused = fixture.only();
    await fixture.refreshBegins();
    refused.respond(401);
    await fixture.clock.settle();
    expect(fixture.only().token).toBe('svc_at_2');
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.refreshes).toHaveLength(1);
  });

  it('make the queue wait when fresh tokens are refused, without endless refreshes', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(401);
    await fixture.refreshBegins();
    fixture.only().respond(401);
    await fixture.clock.settle();
    expect(outcome.state).toBe('pending');
    expect(fixture.open()).toHaveLength(0);
    expect(fixture.queue.state.get()).toMatchObject({
      kind: 'waiting',
      error: { code: 'CW-303', status: 401 },
    });
    await fixture.clock.advance(1000);
    fixture.only().respond(200);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.refreshes).toHaveLength(1);
  });

  it('end every request with CW-202 when they can no longer be refreshed', async () => {
    fixture.refreshesByItself = false;
    const outcomes = Array.from({ length: 6 }, () => fixture.send());
    await fixture.clock.settle();
    for (const exchange of fixture.open()) exchange.respond(401);
    await fixture.refreshBegins();
    fixture.refreshes[0]?.respond(400, {}, { error: 'invalid_grant' });
    await fixture.clock.settle();
    expect(outcomes.map(({ error }) => (error as CwError).code)).toEqual(Array(6).fill('CW-202'));
    expect(fixture.open()).toHaveLength(0);
    expect(fixture.refreshes).toHaveLength(1);
    expect(fixture.clock.pending).toBe(0);
  });

  it('appear in no error', async () => {
    const outcome = fixture.send();
    await fixture.clock.settle();
    fixture.only().respond(403, {}, { error: 'insufficient_scope', error_description: 'svc_at_1' });
    await fixture.clock.settle();
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
