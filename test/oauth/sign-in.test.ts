import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { DeviceSignIn, type CodeShown, type SignInState } from '../../src/oauth/sign-in.js';
import type { Session } from '../../src/oauth/session.js';
import { SECRET_KEYS } from '../../src/oauth/stored-tokens.js';
import type { Reaction } from '../support/http-server.js';
import { memorySecrets } from '../support/memory-host.js';
import { createRig, tokenAnswer, type Rig } from './rig.js';

let rig: Rig;
let opened: string[];
let openInBrowser: (url: string) => Promise<void>;

beforeEach(async () => {
  rig = await createRig();
  opened = [];
  openInBrowser = (url) => {
    opened.push(url);
    return Promise.resolve();
  };
});

afterEach(() => rig.server.close());

async function create(): Promise<{ signIn: DeviceSignIn; session: Session }> {
  const session = rig.session();
  await session.load();
  const signIn = new DeviceSignIn({
    send: rig.send,
    client: rig.client,
    secrets: memorySecrets(rig.storage),
    clock: rig.clock,
    random: () => 0,
    redactor: rig.redactor,
    session,
    openInBrowser: (url) => openInBrowser(url),
  });
  return { signIn, session };
}

const START = { method: 'POST', path: '/api/oauth/device_authorization' } as const;
const POLL = { method: 'POST', path: '/api/oauth/token' } as const;
const pending: Reaction = { status: 400, body: { error: 'authorization_pending' } };

function code(number: number, more: object = {}): Reaction {
  return {
    status: 200,
    body: {
      device_code: `device-code-${number}`,
      user_code: `CODE-${number}`,
      verification_uri: `${rig.server.origin}/oauth/device`,
      ...more,
    },
  };
}

async function reach<K extends SignInState['kind']>(
  signIn: DeviceSignIn,
  kind: K,
): Promise<Extract<SignInState, { kind: K }>> {
  await rig.clock.runUntil(() => signIn.state.get().kind === kind, { stepMs: 100 });
  return signIn.state.get() as Extract<SignInState, { kind: K }>;
}

/** A process that dies while it shows a code and asks whether it has been approved. */
async function dieWithCodeInSight(): Promise<void> {
  const { signIn } = await create();
  rig.server.expect(START, code(1)).otherwise(pending);
  signIn.start();
  await shown(signIn);
  rig.storage.dieAfter(0);
  signIn.cancel(); // its timers are of the dead process
  await rig.clock.settle();
  rig.storage.heal();
}

async function shown(signIn: DeviceSignIn): Promise<CodeShown> {
  return reach(signIn, 'code');
}

describe('DeviceSignIn', () => {
  it('shows the code, opens the browser at the complete address, and ends signed in with nothing left behind', async () => {
    const { signIn, session } = await create();
    const complete = `${rig.server.origin}/oauth/device?user_code=CODE-1`;
    rig.server.expect(START, code(1, { verification_uri_complete: complete }));
    rig.server.expect({ ...POLL, form: { device_code: 'device-code-1' } }, tokenAnswer(1));
    signIn.start();
    expect(await shown(signIn)).toMatchObject({
      userCode: 'CODE-1',
      verificationUri: `${rig.server.origin}/oauth/device`,
      browserError: null,
    });
    expect(opened).toEqual([complete]);
    await reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
    expect([...rig.storage.secrets.keys()]).toEqual([SECRET_KEYS.session]);
  });

  it('says that it asks for a code, and what keeps it from the answer, until that is over', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1)).expect(POLL, { status: 503 }).expect(POLL, pending);
    rig.server.expect(POLL, tokenAnswer(1));
    const seen: SignInState['kind'][] = [];
    signIn.state.subscribe(({ kind }) => seen.push(kind));
    signIn.start();
    await shown(signIn);
    expect(seen).toEqual(['requesting', 'code']);
    await rig.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble?.code === 'CW-303';
      },
      { stepMs: 100, limitMs: 60_000 },
    );
    await rig.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble === null;
      },
      { stepMs: 100, limitMs: 60_000 },
    );
    await reach(signIn, 'idle');
  });

  it('opens the plain address when there is no complete one', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1));
    signIn.start();
    await shown(signIn);
    expect(opened).toEqual([`${rig.server.origin}/oauth/device`]);
    signIn.cancel();
  });

  it('pressing Connect twice asks once', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1));
    signIn.start();
    signIn.start();
    await shown(signIn);
    signIn.start();
    await rig.clock.advance(1_000);
    expect(rig.server.requests).toHaveLength(1);
    signIn.cancel();
  });

  it('Get a new code ends the old one: only the new one is polled', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1)).expect(START, code(2));
    rig.server.expect({ ...POLL, form: { device_code: 'device-code-2' } }, tokenAnswer(1));
    signIn.start();
    await shown(signIn);
    signIn.startOver();
    await rig.clock.runUntil(() => {
      const state = signIn.state.get();
      return state.kind === 'code' && state.userCode === 'CODE-2';
    });
    await reach(signIn, 'idle');
    expect(rig.server.requests).toHaveLength(3);
  });

  it.each(['asked for', 'shown'])('Cancel while the code is %s ends everything', async (when) => {
    const { signIn } = await create();
    rig.server.expect(START, when === 'shown' ? code(1) : 'hang');
    signIn.start();
    await rig.clock.runUntil(rig.server.arrived(1));
    if (when === 'shown') await shown(signIn);
    signIn.cancel();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await rig.clock.advance(60_000);
    expect(rig.server.requests).toHaveLength(1);
    expect(rig.storage.secrets.size).toBe(0);
    expect(rig.clock.pending).toBe(0);
  });

  it('leaves the code and address in sight when the browser does not open, and opens it on request', async () => {
    const { signIn } = await create();
    openInBrowser = () => Promise.reject(new CwError('CW-105', 'declined'));
    rig.server.expect(START, code(1));
    signIn.start();
    await shown(signIn);
    await rig.clock.settle();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: { code: 'CW-105' } });
    openInBrowser = () => Promise.resolve();
    await signIn.openBrowser();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: null });
    signIn.cancel();
  });

  it('goes on after a restart while the code is alive, without opening the browser again', async () => {
    await dieWithCodeInSight();

    const { signIn, session } = await create();
    await signIn.resume();
    expect(await shown(signIn)).toMatchObject({ userCode: 'CODE-1' });
    expect(opened).toHaveLength(1);
    rig.server.otherwise(tokenAnswer(1));
    await reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
  });

  it.each([
    ['has expired', (text: string) => text.replace(/"expiresAt":\d+/, '"expiresAt":1')],
    ['is junk', () => 'junk'],
    ['is of another service', (text: string) => text.split('localhost').join('evil.example')],
    [
      'opens a page elsewhere',
      (text: string) =>
        text.replace(
          /"verificationUriComplete":null/,
          '"verificationUriComplete":"https://x.test/"',
        ),
    ],
  ])('drops what a restart finds when it %s', async (_case, spoil) => {
    const first = await create();
    rig.server.expect(START, code(1)).otherwise(pending);
    first.signIn.start();
    await shown(first.signIn);
    const kept = rig.storage.secrets.get(SECRET_KEYS.signIn) ?? '';
    first.signIn.cancel();
    await rig.clock.settle();
    rig.storage.secrets.set(SECRET_KEYS.signIn, spoil(kept));

    const { signIn } = await create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await rig.clock.settle();
    expect(rig.storage.secrets.size).toBe(0);
  });

  it('does not go on after a restart when there is a session since: it has succeeded', async () => {
    await dieWithCodeInSight();
    rig.store({});

    const { signIn, session } = await create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    expect(await session.accessToken()).toBe('svc_at_first');
    await rig.clock.settle();
    expect(rig.storage.secrets.has(SECRET_KEYS.signIn)).toBe(false);
  });

  it('says why when it ends without a session, and starts anew from there', async () => {
    const { signIn } = await create();
    rig.server.expect(START, { status: 400, body: { error: 'unauthorized_client' } });
    signIn.start();
    expect(await reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-101' } });
    expect(rig.server.requests).toHaveLength(1);
    rig.server.expect(START, code(2));
    signIn.start();
    await shown(signIn);
    signIn.cancel();
  });

  it('does not ask again before the service wanted to be asked, and says until when it waits', async () => {
    const { signIn } = await create();
    rig.server.expect(START, { status: 429, headers: { 'Retry-After': '31' } });
    signIn.start();
    expect(await reach(signIn, 'ended')).toMatchObject({
      error: { code: 'CW-303', status: 429, retryAfterMs: 31_000 },
    });
    const until = rig.clock.now() + 31_000;
    await rig.clock.advance(10_000);
    signIn.start();
    expect(signIn.state.get()).toEqual({ kind: 'requesting', until });
    await rig.clock.advance(16_000);
    signIn.cancel();
    signIn.start();
    await rig.clock.advance(4_900);
    expect(rig.server.requests).toHaveLength(1);
    rig.server.expect(START, code(2));
    await shown(signIn);
    signIn.cancel();
  });

  it('says so when secure storage refuses the new session', async () => {
    const { signIn, session } = await create();
    rig.server.expect(START, code(1)).expect(POLL, tokenAnswer(1));
    signIn.start();
    await shown(signIn);
    rig.storage.fail('secrets.set', new CwError('CW-701', 'full'));
    expect(await reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-701' } });
    expect(session.state.get().kind).toBe('signed-out');
  });

  it('never puts the device code into its state', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1));
    signIn.start();
    expect(JSON.stringify(await shown(signIn))).not.toContain('device-code-1');
    signIn.cancel();
  });
});

describe('getting a code', () => {
  const busy = (seconds: number): Reaction => ({
    status: 429,
    headers: { 'Retry-After': String(seconds) },
  });

  it.each<[string, Reaction]>([
    ['503', { status: 503 }],
    ['502 with a page', { status: 502, body: '<html>' }],
    ['429', { status: 429 }],
    ['a connection that is cut', 'cut'],
    ['an answer that never comes', 'hang'],
  ])('goes on by itself after %s', async (_case, reaction) => {
    const { signIn } = await create();
    rig.server.expect(START, reaction).expect(START, reaction === 'hang' ? code(1) : reaction);
    if (reaction !== 'hang') rig.server.expect(START, code(1));
    const seen = new Set<string>();
    signIn.state.subscribe(({ kind }) => seen.add(kind));
    signIn.start();
    expect(await shown(signIn)).toMatchObject({ userCode: 'CODE-1' });
    expect(seen).toEqual(new Set(['requesting', 'code']));
    signIn.cancel();
  });

  it('is tried for half a minute with growing waits, then says that it did not work', async () => {
    const { signIn } = await create();
    const sentAt: number[] = [];
    rig.server.otherwise(() => {
      sentAt.push(rig.clock.elapsed);
      return { status: 503 };
    });
    signIn.start();
    expect(await reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-303', status: 503 } });
    const waits = sentAt
      .slice(1)
      .map((at, index) => Math.round((at - (sentAt[index] ?? 0)) / 1000));
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8]);
    const tookMs = (sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0);
    expect(tookMs).toBeGreaterThan(25_000);
    expect(tookMs).toBeLessThanOrEqual(31_000);
    await rig.clock.advance(120_000);
    expect(rig.server.requests).toHaveLength(sentAt.length);
    expect(rig.clock.pending).toBe(0);
  });

  it('waits as long as the service asks, and says until when, where that is soon enough', async () => {
    const { signIn } = await create();
    rig.server.expect(START, busy(20));
    signIn.start();
    await rig.clock.runUntil(() => {
      const state = signIn.state.get();
      return state.kind === 'requesting' && state.until !== undefined;
    });
    const before = rig.clock.elapsed;
    const state = signIn.state.get();
    expect(state.kind === 'requesting' && state.until).toBe(rig.clock.now() + 20_000);
    // Who is in a hurry waits as long.
    signIn.checkNow();
    await rig.clock.advance(19_500);
    expect(rig.server.requests).toHaveLength(1);
    rig.server.expect(START, code(1));
    await shown(signIn);
    expect(rig.clock.elapsed - before).toBeLessThan(21_000);
    signIn.cancel();
  });

  it('ends when the service asks to be left alone for longer than is left', async () => {
    const { signIn } = await create();
    rig.server.expect(START, busy(20)).expect(START, busy(20));
    signIn.start();
    expect(await reach(signIn, 'ended')).toMatchObject({ error: { retryAfterMs: 20_000 } });
    expect(rig.server.requests).toHaveLength(2);
  });

  it('is stopped at once by Cancel while it waits to try again', async () => {
    const { signIn } = await create();
    rig.server.otherwise({ status: 503 });
    signIn.start();
    await rig.clock.runUntil(rig.server.arrived(3), { stepMs: 100 });
    await rig.clock.settle();
    signIn.cancel();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await rig.clock.settle();
    expect(rig.clock.pending).toBe(0);
    const { length } = rig.server.requests;
    await rig.clock.advance(60_000);
    expect(rig.server.requests).toHaveLength(length);
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
  });

  it.each<[string, Reaction]>([
    ['fails and is tried again', { status: 503 }],
    ['is answered by nobody', 'hang'],
  ])('says that it takes long when it %s', async (_case, reaction) => {
    const { signIn } = await create();
    rig.server.otherwise(reaction);
    signIn.start();
    await rig.clock.runUntil(rig.server.arrived(1));
    await rig.clock.advance(4_000);
    expect(signIn.state.get()).toEqual({ kind: 'requesting' });
    for (let second = 0; second < 6; second += 1) await rig.clock.runUntil(() => true);
    await rig.clock.runUntil(() => rig.clock.elapsed > 8_000, { stepMs: 100 });
    expect(signIn.state.get()).toEqual({ kind: 'requesting', isSlow: true });
    signIn.cancel();
  });

  it('is tried at once when the computer wakes, for half a minute from then on', async () => {
    const { signIn } = await create();
    rig.server.otherwise({ status: 503 });
    signIn.start();
    // The fourth wait is of eight seconds.
    await rig.clock.runUntil(rig.server.arrived(4), { stepMs: 100 });
    await rig.clock.runUntil(() => rig.server.open === 0);
    const before = rig.clock.elapsed;
    signIn.checkNow();
    await rig.clock.runUntil(rig.server.arrived(5));
    expect(rig.clock.elapsed - before).toBeLessThan(1_000);
    await reach(signIn, 'ended');
    expect(rig.clock.elapsed - before).toBeGreaterThan(25_000);
  });
});

describe('Check now', () => {
  const checkOf = (signIn: DeviceSignIn): string => {
    const state = signIn.state.get();
    return state.kind === 'code' ? state.check : 'no code';
  };

  it('is offered once a minute has passed, and not before', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1)).otherwise(pending);
    signIn.start();
    const { check } = await shown(signIn);
    expect(check).toBe('later');
    const shownAt = rig.clock.elapsed;
    await rig.clock.runUntil(() => checkOf(signIn) !== 'later', { stepMs: 200 });
    expect(rig.clock.elapsed - shownAt).toBeGreaterThan(59_000);
    expect(rig.clock.elapsed - shownAt).toBeLessThan(61_000);
    expect(checkOf(signIn)).toBe('offered');
    signIn.cancel();
    await rig.clock.settle();
    expect(rig.clock.pending).toBe(0);
  });

  it('is offered after trouble, and stays when that is over', async () => {
    const { signIn } = await create();
    rig.server.expect(START, code(1)).expect(POLL, { status: 503 }).otherwise(pending);
    signIn.start();
    await shown(signIn);
    await rig.clock.runUntil(() => checkOf(signIn) === 'offered', { stepMs: 200 });
    expect(signIn.state.get()).toMatchObject({ trouble: { code: 'CW-303' } });
    await rig.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble === null;
      },
      { stepMs: 200 },
    );
    expect(checkOf(signIn)).toBe('offered');
    signIn.cancel();
    // Not even the timer that would offer it after a minute.
    await rig.clock.settle();
    expect(rig.clock.pending).toBe(0);
  });

  it('polls as soon as the interval allows, once however often it is pressed, and can be pressed again then', async () => {
    const { signIn, session } = await create();
    rig.server.expect(START, code(1)).otherwise({ status: 503 });
    signIn.start();
    await shown(signIn);
    // The waits have grown to a quarter of a minute.
    await rig.clock.runUntil(rig.server.arrived(4), { stepMs: 200 });
    await rig.clock.runUntil(() => rig.server.open === 0, { stepMs: 20 });
    const answeredAt = rig.clock.elapsed;
    signIn.checkNow();
    expect(checkOf(signIn)).toBe('asked');
    for (let press = 0; press < 20; press += 1) {
      await rig.clock.advance(240);
      signIn.checkNow();
    }
    expect(rig.clock.elapsed - answeredAt).toBeLessThan(5_000);
    expect(rig.server.requests).toHaveLength(4);
    await rig.clock.runUntil(rig.server.arrived(5), { stepMs: 20 });
    expect(rig.clock.elapsed - answeredAt).toBeGreaterThanOrEqual(5_000);
    expect(rig.clock.elapsed - answeredAt).toBeLessThan(6_000);
    await rig.clock.runUntil(() => checkOf(signIn) === 'offered', { stepMs: 20 });
    // The waits begin anew, and one that has lasted as long as the interval is cut at once.
    rig.server.otherwise(tokenAnswer(1));
    await rig.clock.advance(4_990);
    signIn.checkNow();
    await reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
  });

  it('does nothing without a sign-in in progress', async () => {
    const { signIn } = await create();
    signIn.checkNow();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    expect(rig.clock.pending).toBe(0);
  });
});

describe('a sign-in for another account', () => {
  /** Connected, with a code in sight for another account. */
  async function another(): Promise<Awaited<ReturnType<typeof create>>> {
    rig.store({});
    const made = await create();
    rig.server.expect(START, code(1));
    made.signIn.start();
    await shown(made.signIn);
    return made;
  }

  it('leaves the session as it is until it has succeeded, and ends it then', async () => {
    const { signIn, session } = await another();
    expect(signIn.isForAnother).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
    rig.server.expect(POLL, tokenAnswer(2));
    const revocation = { method: 'POST', path: '/api/oauth/revoke' } as const;
    rig.server.expect({ ...revocation, form: { token: 'refresh-token-1' } }, { status: 200 });
    await reach(signIn, 'idle');
    expect(signIn.isForAnother).toBe(false);
    expect(await session.accessToken()).toBe('svc_at_number-2');
    await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.revocations));
  });

  it('leaves the session as it is when it is denied', async () => {
    const { signIn, session } = await another();
    rig.server.expect(POLL, { status: 400, body: { error: 'access_denied' } });
    await reach(signIn, 'ended');
    expect(signIn.isForAnother).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
  });

  it('stays one with a new code', async () => {
    const { signIn } = await another();
    rig.server.expect(START, code(2));
    signIn.startOver();
    expect((await shown(signIn)).userCode).toBe('CODE-2');
    expect(signIn.isForAnother).toBe(true);
  });

  it('goes on after a restart, as what it was', async () => {
    await another();
    const { signIn } = await create();
    await signIn.resume();
    expect((await shown(signIn)).userCode).toBe('CODE-1');
    expect(signIn.isForAnother).toBe(true);
    signIn.cancel();
  });

  it('does not go on after a restart when it has succeeded, or another session is there: nothing of it stays', async () => {
    const { signIn: before, session } = await another();
    rig.server.expect({ method: 'POST', path: '/api/oauth/revoke' }, { status: 200 });
    await session.adopt({
      accessToken: 'svc_at_second',
      refreshToken: null,
      obtainedAt: rig.clock.now(),
      expiresAt: null,
    });
    await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.revocations));
    const { signIn } = await create();
    await signIn.resume();
    expect(signIn.state.get().kind).toBe('idle');
    expect(before.state.get().kind).toBe('code');
    await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.signIn));
  });
});
