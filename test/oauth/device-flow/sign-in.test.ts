import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { DeviceSignIn, SignInState } from '../../../src/oauth/device-flow/sign-in.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
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

describe('DeviceSignIn', () => {
  it('shows the code, opens the complete URL, signs in, and leaves nothing in storage', async () => {
    const { signIn, session } = await fixture.create();
    const complete = `${fixture.server.origin}/oauth/device?user_code=CODE-1`;
    fixture.server.expect(START, fixture.code(1, { verification_uri_complete: complete }));
    fixture.server.expect({ ...POLL, form: { device_code: 'device-code-1' } }, tokenAnswer(1));
    signIn.start();
    expect(await fixture.shown(signIn)).toMatchObject({
      userCode: 'CODE-1',
      verificationUri: `${fixture.server.origin}/oauth/device`,
      browserError: null,
    });
    expect(fixture.opened).toEqual([complete]);
    await fixture.reach(signIn, 'idle');
    expect(session.state.get().kind).toBe('signed-in');
    expect([...fixture.storage.secrets.keys()]).toEqual([SECRET_KEYS.session]);
  });

  it('reports the request of a code and its errors', async () => {
    const { signIn } = await fixture.create();
    fixture.server
      .expect(START, fixture.code(1))
      .expect(POLL, { status: 503 })
      .expect(POLL, pending);
    fixture.server.expect(POLL, tokenAnswer(1));
    const seen: SignInState['kind'][] = [];
    signIn.state.subscribe(({ kind }) => seen.push(kind));
    signIn.start();
    await fixture.shown(signIn);
    expect(seen).toEqual(['requesting', 'code']);
    await fixture.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble?.code === 'CW-303';
      },
      { stepMs: 100, limitMs: 60_000 },
    );
    await fixture.clock.runUntil(
      () => {
        const state = signIn.state.get();
        return state.kind === 'code' && state.trouble === null;
      },
      { stepMs: 100, limitMs: 60_000 },
    );
    await fixture.reach(signIn, 'idle');
  });

  it('opens verification_uri when there is no complete one', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1));
    signIn.start();
    await fixture.shown(signIn);
    expect(fixture.opened).toEqual([`${fixture.server.origin}/oauth/device`]);
    signIn.cancel();
  });

  it('requests one code when Connect is pressed twice', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1));
    signIn.start();
    signIn.start();
    await fixture.shown(signIn);
    signIn.start();
    await fixture.clock.advance(1_000);
    expect(fixture.server.requests).toHaveLength(1);
    signIn.cancel();
  });

  it('polls only the new code after Get a new code', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).expect(START, fixture.code(2));
    fixture.server.expect({ ...POLL, form: { device_code: 'device-code-2' } }, tokenAnswer(1));
    signIn.start();
    await fixture.shown(signIn);
    signIn.startOver();
    await fixture.clock.runUntil(() => {
      const state = signIn.state.get();
      return state.kind === 'code' && state.userCode === 'CODE-2';
    });
    await fixture.reach(signIn, 'idle');
    expect(fixture.server.requests).toHaveLength(3);
  });

  it.each(['asked for', 'shown'])('Cancel while the code is %s ends everything', async (when) => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, when === 'shown' ? fixture.code(1) : 'hang');
    signIn.start();
    await fixture.clock.runUntil(fixture.server.arrived(1));
    if (when === 'shown') await fixture.shown(signIn);
    signIn.cancel();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await fixture.clock.advance(60_000);
    expect(fixture.server.requests).toHaveLength(1);
    expect(fixture.storage.secrets.size).toBe(0);
    expect(fixture.clock.pending).toBe(0);
  });

  it('keeps the code and URL visible when the browser does not open, and opens it on request', async () => {
    const { signIn } = await fixture.create();
    fixture.openInBrowser = () => Promise.reject(new CwError('CW-105', 'declined'));
    fixture.server.expect(START, fixture.code(1));
    signIn.start();
    await fixture.shown(signIn);
    await fixture.clock.settle();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: { code: 'CW-105' } });
    fixture.openInBrowser = () => Promise.resolve();
    await signIn.openBrowser();
    expect(signIn.state.get()).toMatchObject({ kind: 'code', browserError: null });
    signIn.cancel();
  });

  it('continues after a restart while the code is valid, without opening the browser again', async () => {
    await fixture.dieWithCodeInSight();

    const { signIn, session } = await fixture.create();
    await signIn.resume();
    expect(await fixture.shown(signIn)).toMatchObject({ userCode: 'CODE-1' });
    expect(fixture.opened).toHaveLength(1);
    fixture.server.otherwise(tokenAnswer(1));
    await fixture.reach(signIn, 'idle');
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
  ])('drops a stored sign-in that %s', async (_case, spoil) => {
    const first = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).otherwise(pending);
    first.signIn.start();
    await fixture.shown(first.signIn);
    const kept = fixture.storage.secrets.get(SECRET_KEYS.signIn) ?? '';
    first.signIn.cancel();
    await fixture.clock.settle();
    fixture.storage.secrets.set(SECRET_KEYS.signIn, spoil(kept));

    const { signIn } = await fixture.create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    await fixture.clock.settle();
    expect(fixture.storage.secrets.size).toBe(0);
  });

  it('drops a stored sign-in when there is a session', async () => {
    await fixture.dieWithCodeInSight();
    fixture.store({});

    const { signIn, session } = await fixture.create();
    await signIn.resume();
    expect(signIn.state.get()).toEqual({ kind: 'idle' });
    expect(await session.accessToken()).toBe('svc_at_first');
    await fixture.clock.settle();
    expect(fixture.storage.secrets.has(SECRET_KEYS.signIn)).toBe(false);
  });

  it('reports why it ends without a session, and can start again', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, { status: 400, body: { error: 'unauthorized_client' } });
    signIn.start();
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-101' } });
    expect(fixture.server.requests).toHaveLength(1);
    fixture.server.expect(START, fixture.code(2));
    signIn.start();
    await fixture.shown(signIn);
    signIn.cancel();
  });

  it('respects Retry-After for a new request, and reports until when it waits', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, { status: 429, headers: { 'Retry-After': '31' } });
    signIn.start();
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({
      error: { code: 'CW-303', status: 429, retryAfterMs: 31_000 },
    });
    const until = fixture.clock.now() + 31_000;
    await fixture.clock.advance(10_000);
    signIn.start();
    expect(signIn.state.get()).toEqual({ kind: 'requesting', until });
    await fixture.clock.advance(16_000);
    signIn.cancel();
    signIn.start();
    await fixture.clock.advance(4_900);
    expect(fixture.server.requests).toHaveLength(1);
    fixture.server.expect(START, fixture.code(2));
    await fixture.shown(signIn);
    signIn.cancel();
  });

  it('reports that secure storage refuses the new session', async () => {
    const { signIn, session } = await fixture.create();
    fixture.server.expect(START, fixture.code(1)).expect(POLL, tokenAnswer(1));
    signIn.start();
    await fixture.shown(signIn);
    fixture.storage.fail('secrets.set', new CwError('CW-701', 'full'));
    expect(await fixture.reach(signIn, 'ended')).toMatchObject({ error: { code: 'CW-701' } });
    expect(session.state.get().kind).toBe('signed-out');
  });

  it('never puts the device code into its state', async () => {
    const { signIn } = await fixture.create();
    fixture.server.expect(START, fixture.code(1));
    signIn.start();
    expect(JSON.stringify(await fixture.shown(signIn))).not.toContain('device-code-1');
    signIn.cancel();
  });
});

describe('a sign-in with another account', () => {
  /** Connected, with a code in sight for another account. */
  async function another(): Promise<Awaited<ReturnType<typeof fixture.create>>> {
    fixture.store({});
    const made = await fixture.create();
    fixture.server.expect(START, fixture.code(1));
    made.signIn.start();
    await fixture.shown(made.signIn);
    return made;
  }

  it('keeps the current session until it succeeds, then ends it', async () => {
    const { signIn, session } = await another();
    expect(signIn.isAccountSwitch).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
    fixture.server.expect(POLL, tokenAnswer(2));
    const revocation = { method: 'POST', path: '/api/oauth/revoke' } as const;
    fixture.server.expect({ ...revocation, form: { token: 'refresh-token-1' } }, { status: 200 });
    await fixture.reach(signIn, 'idle');
    expect(signIn.isAccountSwitch).toBe(false);
    expect(await session.accessToken()).toBe('svc_at_number-2');
    await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.revocations));
  });

  it('keeps the current session when it is denied', async () => {
    const { signIn, session } = await another();
    fixture.server.expect(POLL, { status: 400, body: { error: 'access_denied' } });
    await fixture.reach(signIn, 'ended');
    expect(signIn.isAccountSwitch).toBe(true);
    expect(await session.accessToken()).toBe('svc_at_first');
  });

  it('stays an account switch with a new code', async () => {
    const { signIn } = await another();
    fixture.server.expect(START, fixture.code(2));
    signIn.startOver();
    expect((await fixture.shown(signIn)).userCode).toBe('CODE-2');
    expect(signIn.isAccountSwitch).toBe(true);
  });

  it('continues after a restart as an account switch', async () => {
    await another();
    const { signIn } = await fixture.create();
    await signIn.resume();
    expect((await fixture.shown(signIn)).userCode).toBe('CODE-1');
    expect(signIn.isAccountSwitch).toBe(true);
    signIn.cancel();
  });

  it('does not continue after a restart when it has succeeded or another session exists', async () => {
    const { signIn: before, session } = await another();
    fixture.server.expect({ method: 'POST', path: '/api/oauth/revoke' }, { status: 200 });
    await session.adopt({
      accessToken: 'svc_at_second',
      refreshToken: null,
      obtainedAt: fixture.clock.now(),
      expiresAt: null,
    });
    await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.revocations));
    const { signIn } = await fixture.create();
    await signIn.resume();
    expect(signIn.state.get().kind).toBe('idle');
    expect(before.state.get().kind).toBe('code');
    await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.signIn));
  });
});

describe('a sign-in for one more scope', () => {
  const scopes = (scope: string) => ({ ...START, form: { scope } });

  /** Connected, with a code in sight for one more scope. */
  async function forProjects(): Promise<Awaited<ReturnType<typeof fixture.create>>> {
    fixture.store({});
    const made = await fixture.create();
    fixture.server.expect(scopes('uploads:write projects:write'), fixture.code(1));
    made.signIn.startForScope('projects:write');
    await fixture.shown(made.signIn);
    return made;
  }

  it('leaves the session as it is until it has succeeded, and ends it then', async () => {
    const { signIn, session } = await forProjects();
    expect([signIn.isAccountSwitch, signIn.requestedScope]).toEqual([true, 'projects:write']);
    expect(await session.accessToken()).toBe('svc_at_first');
    fixture.server.expect(POLL, tokenAnswer(2));
    const revocation = { method: 'POST', path: '/api/oauth/revoke' } as const;
    fixture.server.expect({ ...revocation, form: { token: 'refresh-token-1' } }, { status: 200 });
    await fixture.reach(signIn, 'idle');
    expect(await session.accessToken()).toBe('svc_at_number-2');
    await fixture.clock.runUntil(() => !fixture.storage.secrets.has(SECRET_KEYS.revocations));
  });

  it('leaves the session as it is when it is denied', async () => {
    const { signIn, session } = await forProjects();
    fixture.server.expect(POLL, { status: 400, body: { error: 'access_denied' } });
    await fixture.reach(signIn, 'ended');
    expect(await session.accessToken()).toBe('svc_at_first');
  });

  it('requests the same scopes with a new code', async () => {
    const { signIn } = await forProjects();
    fixture.server.expect(scopes('uploads:write projects:write'), fixture.code(2));
    signIn.startOver();
    expect((await fixture.shown(signIn)).userCode).toBe('CODE-2');
    expect(signIn.requestedScope).toBe('projects:write');
  });

  it('continues after a restart', async () => {
    await forProjects();
    const { signIn } = await fixture.create();
    await signIn.resume();
    await fixture.shown(signIn);
    expect([signIn.isAccountSwitch, signIn.requestedScope]).toEqual([true, 'projects:write']);
    signIn.cancel();
  });

  it.each<[string, (signIn: DeviceSignIn) => void, boolean, string]>([
    [
      'one more scope adds it to those that the session has',
      (signIn) => signIn.startForScope('shares:write'),
      true,
      'uploads:write projects:write shares:write',
    ],
    ['another account requests only those of the app', (s) => s.start(), true, 'uploads:write'],
    [
      'a reconnect requests those of the session before',
      (signIn) => signIn.start(),
      false,
      'uploads:write projects:write',
    ],
  ])('%s', async (_name, begin, isConnected, expected) => {
    fixture.granted = ['uploads:write', 'projects:write'];
    if (isConnected) fixture.store({});
    const { signIn } = await fixture.create();
    fixture.server.expect(scopes(expected), fixture.code(1));
    begin(signIn);
    await fixture.shown(signIn);
    signIn.cancel();
  });
});
