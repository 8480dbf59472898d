import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { SignInState } from '../../../src/oauth/device-flow/sign-in.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { tokenAnswer } from '../fixture.js';
import { createSignInRig, pending, POLL, START, type SignInRig } from './sign-in-fixture.js';

let rig: SignInRig;

beforeEach(async () => {
  rig = await createSignInRig();
});

afterEach(() => rig.server.close());

describe('DeviceSignIn', () => {
  it('shows the code, opens the browser at the complete address, and ends signed in with nothing left behind', async () => {
    const { signIn, session } = await rig.create();
    const complete = `${rig.server.origin}/oauth/device?user_code=CODE-1`;
    rig.server.expect(START, rig.code(1, { verification_uri_complete: complete }));
    rig.server.expect({ ...POLL, form: { device_code: 'device-code-1' } }, tokenAnswer(1));
    signIn.start();
    expect(await rig.shown(signIn)).toMatchObject({
      userCode: 'CODE-1',
      verificationUri: `${rig.server.origin}/oauth/device`,
      browserError: null,
    });
    expect(rig.opened).toEqual([complete]);
    await rig.reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
    expect([...rig.storage.secrets.keys()]).toEqual([SECRET_KEYS.session]);
  });

  it('reports that it requests a code, and errors, until that is over', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, rig.code(1)).expect(POLL, { status: 503 }).expect(POLL, pending);
    rig.server.expect(POLL, tokenAnswer(1));
    const seen: SignInState['kind'][] = [];
    signIn.state.subscribe(({ kind }) => seen.push(kind));
    signIn.start();
    await rig.shown(signIn);
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
    await rig.reach(signIn, 'idle');
  });

  it('opens the plain address when there is no complete one', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, rig.code(1));
    signIn.start();
    await rig.shown(signIn);
    expect(rig.opened).toEqual([`${rig.server.origin}/oauth/device`]);
    signIn.cancel();
  });

  it('requests one code when Connect is pressed twice', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, rig.code(1));
    signIn.start();
    signIn.start();
    await rig.shown(signIn);
    signIn.start();
    await rig.clock.advance(1_000);
    expect(rig.server.requests).toHaveLength(1);
    signIn.cancel();
  });

  it('polls only the new code after Get a new code', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, rig.code(1)).expect(START, rig.code(2));
    rig.server.expect({ ...POLL, form: { device_code: 'device-code-2' } }, tokenAnswer(1));
    signIn.start();
    await rig.shown(signIn);
    signIn.startOver();
    await rig.clock.runUntil(() => {
      const state = signIn.state.get();
      return state.kind === 'code' && state.userCode === 'CODE-2';
    });
    await rig.reach(signIn, 'idle');
    expect(rig.server.requests).toHaveLength(3);
  });

  it.each(['asked for', 'shown'])('Cancel while the code is %s ends everything', async (when) => {
    const { signIn } = await rig.create();
    rig.server.expect(START, when === 'shown' ? rig.code(1) : 'hang');
    signIn.start();
    await rig.clock.runUntil(rig.server.arrived(1));
    if (when === 'shown') await rig.shown(signIn);
    signIn.cancel();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await rig.clock.advance(60_000);
    expect(rig.server.requests).toHaveLength(1);
    expect(rig.storage.secrets.size).toBe(0);
    expect(rig.clock.pending).toBe(0);
  });

  it('keeps the code and URL visible when the browser does not open, and opens it on request', async () => {
    const { signIn } = await rig.create();
    rig.openInBrowser = () => Promise.reject(new CwError('CW-105', 'declined'));
    rig.server.expect(START, rig.code(1));
    signIn.start();
    await rig.shown(signIn);
    await rig.clock.settle();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: { code: 'CW-105' } });
    rig.openInBrowser = () => Promise.resolve();
    await signIn.openBrowser();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: null });
    signIn.cancel();
  });

  it('continues after a restart while the code is valid, without opening the browser again', async () => {
    await rig.dieWithCodeInSight();

    const { signIn, session } = await rig.create();
    await signIn.resume();
    expect(await rig.shown(signIn)).toMatchObject({ userCode: 'CODE-1' });
    expect(rig.opened).toHaveLength(1);
    rig.server.otherwise(tokenAnswer(1));
    await rig.reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
  });

  it.each([
    ['has expired', (text: string) => text.replace(/"expiresAt":\d+/, '"expiresAt":1')],
    ['is junk', () => 'junk'],
    ['polls without a pause', (text: string) => text.replace(/"intervalMs":\d+/, '"intervalMs":0')],
    ['never polls', (text: string) => text.replace(/"intervalMs":\d+/, '"intervalMs":1e12')],
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
    const first = await rig.create();
    rig.server.expect(START, rig.code(1)).otherwise(pending);
    first.signIn.start();
    await rig.shown(first.signIn);
    const kept = rig.storage.secrets.get(SECRET_KEYS.signIn) ?? '';
    first.signIn.cancel();
    await rig.clock.settle();
    rig.storage.secrets.set(SECRET_KEYS.signIn, spoil(kept));

    const { signIn } = await rig.create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await rig.clock.settle();
    expect(rig.storage.secrets.size).toBe(0);
  });

  it('does not continue after a restart when there is a session', async () => {
    await rig.dieWithCodeInSight();
    rig.store({});

    const { signIn, session } = await rig.create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    expect(await session.accessToken()).toBe('svc_at_first');
    await rig.clock.settle();
    expect(rig.storage.secrets.has(SECRET_KEYS.signIn)).toBe(false);
  });

  it('reports why it ends without a session, and can start again', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, { status: 400, body: { error: 'unauthorized_client' } });
    signIn.start();
    expect(await rig.reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-101' } });
    expect(rig.server.requests).toHaveLength(1);
    rig.server.expect(START, rig.code(2));
    signIn.start();
    await rig.shown(signIn);
    signIn.cancel();
  });

  it('respects Retry-After for a new request, and reports until when it waits', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, { status: 429, headers: { 'Retry-After': '31' } });
    signIn.start();
    expect(await rig.reach(signIn, 'ended')).toMatchObject({
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
    rig.server.expect(START, rig.code(2));
    await rig.shown(signIn);
    signIn.cancel();
  });

  it('says so when secure storage refuses the new session', async () => {
    const { signIn, session } = await rig.create();
    rig.server.expect(START, rig.code(1)).expect(POLL, tokenAnswer(1));
    signIn.start();
    await rig.shown(signIn);
    rig.storage.fail('secrets.set', new CwError('CW-701', 'full'));
    expect(await rig.reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-701' } });
    expect(session.state.get().kind).toBe('signed-out');
  });

  it('never puts the device code into its state', async () => {
    const { signIn } = await rig.create();
    rig.server.expect(START, rig.code(1));
    signIn.start();
    expect(JSON.stringify(await rig.shown(signIn))).not.toContain('device-code-1');
    signIn.cancel();
  });
});

describe('a sign-in for another account', () => {
  /** Connected, with a code in sight for another account. */
  async function another(): Promise<Awaited<ReturnType<typeof rig.create>>> {
    rig.store({});
    const made = await rig.create();
    rig.server.expect(START, rig.code(1));
    made.signIn.start();
    await rig.shown(made.signIn);
    return made;
  }

  it('leaves the session as it is until it has succeeded, and ends it then', async () => {
    const { signIn, session } = await another();
    expect(signIn.isAccountSwitch).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
    rig.server.expect(POLL, tokenAnswer(2));
    const revocation = { method: 'POST', path: '/api/oauth/revoke' } as const;
    rig.server.expect({ ...revocation, form: { token: 'refresh-token-1' } }, { status: 200 });
    await rig.reach(signIn, 'idle');
    expect(signIn.isAccountSwitch).toBe(false);
    expect(await session.accessToken()).toBe('svc_at_number-2');
    await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.revocations));
  });

  it('leaves the session as it is when it is denied', async () => {
    const { signIn, session } = await another();
    rig.server.expect(POLL, { status: 400, body: { error: 'access_denied' } });
    await rig.reach(signIn, 'ended');
    expect(signIn.isAccountSwitch).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
  });

  it('stays one with a new code', async () => {
    const { signIn } = await another();
    rig.server.expect(START, rig.code(2));
    signIn.startOver();
    expect((await rig.shown(signIn)).userCode).toBe('CODE-2');
    expect(signIn.isAccountSwitch).toBe(true);
  });

  it('continues after a restart as an account switch', async () => {
    await another();
    const { signIn } = await rig.create();
    await signIn.resume();
    expect((await rig.shown(signIn)).userCode).toBe('CODE-1');
    expect(signIn.isAccountSwitch).toBe(true);
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
    const { signIn } = await rig.create();
    await signIn.resume();
    expect(signIn.state.get().kind).toBe('idle');
    expect(before.state.get().kind).toBe('code');
    await rig.clock.runUntil(() => !rig.storage.secrets.has(SECRET_KEYS.signIn));
  });
});
