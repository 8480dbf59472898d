import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceSignIn, NumberChoice } from '../../../src/oauth/device-flow/sign-in.js';
import type { Reaction } from '../../support/http-server.js';
import { tokenAnswer } from '../fixture.js';
import {
  createSignInFixture,
  pending,
  POLL,
  START,
  type SignInFixture,
} from './sign-in-fixture.js';

let fixture: SignInFixture;

beforeEach(async () => {
  fixture = await createSignInFixture();
});

afterEach(() => fixture.server.close());

const CHOICES = ['17', '42', '86'];
const TOKENS: Reaction = tokenAnswer(1);

const offer = (choices: unknown = CHOICES): Reaction => ({
  status: 400,
  body: { error: 'authorization_pending', number_choices: choices },
});

const refusal = (reason: unknown): Reaction => ({
  status: 400,
  body: { error: 'access_denied', error_description: 'no', reason },
});

function numbersOf(signIn: DeviceSignIn): NumberChoice | null {
  const state = signIn.state.get();
  return state.kind === 'code' ? state.numbers : null;
}

/** A sign-in whose first poll was answered with the numbers. */
async function offered(...later: readonly Reaction[]): Promise<DeviceSignIn> {
  const { signIn } = await fixture.create();
  fixture.server.expect(START, fixture.code(1)).expect(POLL, offer());
  for (const reaction of later) fixture.server.expect(POLL, reaction);
  signIn.start();
  await fixture.clock.runUntil(() => numbersOf(signIn) !== null, { stepMs: 100 });
  return signIn;
}

/** The number in each poll; undefined without one. */
function sent(): readonly (string | undefined)[] {
  return fixture.server.requests
    .filter(({ path }) => path === POLL.path)
    .map(({ form }) => form['number']);
}

describe('a sign-in whose service requests a number', () => {
  it('sends the choice with the next poll, not earlier than the interval, and connects', async () => {
    const signIn = await offered(TOKENS);
    expect(numbersOf(signIn)).toEqual({ choices: CHOICES, chosen: null });
    const before = fixture.clock.elapsed;
    signIn.chooseNumber('42');
    expect(numbersOf(signIn)).toEqual({ choices: CHOICES, chosen: '42' });
    await fixture.reach(signIn, 'idle');
    expect(sent()).toEqual([undefined, '42']);
    expect(fixture.clock.elapsed - before).toBeGreaterThanOrEqual(5_000);
  });

  it.each([
    ['a wrong number', '17', refusal('wrong_number'), 'CW-107'],
    ['none of them', 'none', refusal('wrong_number'), 'CW-107'],
    ['a number where the workspace forbids it', '17', refusal('not_allowed'), 'CW-108'],
    ['a number after Deny', '17', refusal(undefined), 'CW-103'],
    ['a reason that is not known', '17', refusal({ a: 1 }), 'CW-103'],
  ])('ends after %s', async (_case, number, reaction, code) => {
    const signIn = await offered(reaction);
    signIn.chooseNumber(number);
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({ error: { code } });
    expect(sent()).toEqual([undefined, number]);
  });

  it('keeps polling without a number until the user chooses', async () => {
    const signIn = await offered(offer(), offer());
    await fixture.clock.runUntil(() => sent().length === 3, { stepMs: 100 });
    expect(sent()).toEqual([undefined, undefined, undefined]);
    expect(numbersOf(signIn)).toEqual({ choices: CHOICES, chosen: null });
    signIn.cancel();
  });

  it('sends the choice again after a lost response', async () => {
    const signIn = await offered('cut', TOKENS);
    signIn.chooseNumber('42');
    await fixture.reach(signIn, 'idle');
    expect(sent()).toEqual([undefined, '42', '42']);
  });

  // @threat C11
  it('takes the first choice only, and none that was not offered', async () => {
    const signIn = await offered(TOKENS);
    signIn.chooseNumber('99');
    expect(numbersOf(signIn)?.chosen).toBeNull();
    signIn.chooseNumber('42');
    signIn.chooseNumber('17');
    await fixture.reach(signIn, 'idle');
    expect(sent()).toEqual([undefined, '42']);
  });

  it('shows the question again when the service still requests a number after one was sent', async () => {
    const signIn = await offered(offer());
    signIn.chooseNumber('42');
    await fixture.clock.runUntil(() => numbersOf(signIn)?.chosen === null, { stepMs: 100 });
    expect(sent()).toEqual([undefined, '42']);
    signIn.cancel();
  });

  it('does not send a choice of other numbers', async () => {
    const signIn = await offered(async () => {
      signIn.chooseNumber('42');
      await Promise.resolve();
      return {
        status: 400,
        body: { error: 'authorization_pending', number_choices: ['11', '22', '33'] },
      };
    });
    await fixture.clock.runUntil(() => numbersOf(signIn)?.choices[0] === '11', { stepMs: 100 });
    expect(numbersOf(signIn)?.chosen).toBeNull();
    signIn.cancel();
  });

  it.each([
    ['two numbers', ['17', '42']],
    ['a number twice', ['17', '42', '17']],
    ['four numbers', ['17', '42', '86', '11']],
    ['no numbers', [17, 42, 86]],
    ['words', ['17', '42', 'Allow']],
    ['no list', '17'],
  ])('shows the code while the service offers %s', async (_case, choices) => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).expect(POLL, offer(choices));
    signIn.start();
    await fixture.clock.runUntil(() => sent().length === 1, { stepMs: 100 });
    await fixture.clock.settle();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', numbers: null });
    signIn.cancel();
  });

  it('offers the numbers again after a restart', async () => {
    await fixture.dieWithCodeInSight();
    fixture.server.otherwise(offer());
    const { signIn } = await fixture.create();
    await signIn.resume();
    await fixture.clock.runUntil(() => numbersOf(signIn) !== null, { stepMs: 100 });
    expect(numbersOf(signIn)).toEqual({ choices: CHOICES, chosen: null });
    signIn.cancel();
  });

  it('returns to the code when the numbers are withdrawn', async () => {
    const signIn = await offered(pending);
    await fixture.clock.runUntil(() => numbersOf(signIn) === null, { stepMs: 100 });
    expect(signIn.state.get().kind).toBe('code');
    signIn.cancel();
  });
});
