import {
  DeviceSignIn,
  type CodeShown,
  type SignInState,
} from '../../../src/oauth/device-flow/sign-in.js';
import type { Session } from '../../../src/oauth/session/session.js';
import type { Reaction } from '../../support/http-server.js';
import { memorySecrets } from '../../support/memory-host.js';
import { createOAuthFixture, type OAuthFixture } from '../fixture.js';

export const START = { method: 'POST', path: '/api/oauth/device_authorization' } as const;
export const POLL = { method: 'POST', path: '/api/oauth/token' } as const;
export const pending: Reaction = { status: 400, body: { error: 'authorization_pending' } };

/** A device sign-in over a scripted server, and a browser that records the opened URLs. */
export interface SignInFixture extends OAuthFixture {
  readonly opened: string[];
  /** The scopes of the session; null when they are not known. */
  granted: readonly string[] | null;
  openInBrowser: (url: string) => Promise<void>;
  create(): Promise<{ signIn: DeviceSignIn; session: Session }>;
  /** The service's answer with a code. */
  code(number: number, more?: object): Reaction;
  reach<K extends SignInState['kind']>(
    signIn: DeviceSignIn,
    kind: K,
  ): Promise<Extract<SignInState, { kind: K }>>;
  shown(signIn: DeviceSignIn): Promise<CodeShown>;
  /** A process that dies while it shows a code and polls. */
  dieWithCodeInSight(): Promise<void>;
}

/** A sign-in on the fixture's storage, with the session it is for. */
export async function createSignIn(
  fixture: OAuthFixture,
  openInBrowser: (url: string) => Promise<void> = () => Promise.resolve(),
  grantedScopes: () => readonly string[] | null = () => null,
): Promise<{ signIn: DeviceSignIn; session: Session }> {
  const session = fixture.session();
  await session.load();
  const signIn = new DeviceSignIn({
    send: fixture.send,
    client: fixture.client,
    secrets: memorySecrets(fixture.storage),
    clock: fixture.clock,
    random: () => 0,
    redactor: fixture.redactor,
    session,
    openInBrowser,
    grantedScopes,
  });
  return { signIn, session };
}

export async function createSignInFixture(): Promise<SignInFixture> {
  const base = await createOAuthFixture();
  const opened: string[] = [];
  const fixture: SignInFixture = {
    ...base,
    opened,
    granted: null,
    openInBrowser(url) {
      opened.push(url);
      return Promise.resolve();
    },
    create: () =>
      createSignIn(
        base,
        (url) => fixture.openInBrowser(url),
        () => fixture.granted,
      ),
    code: (number, more = {}) => ({
      status: 200,
      body: {
        device_code: `device-code-${number}`,
        user_code: `CODE-${number}`,
        verification_uri: `${base.server.origin}/oauth/device`,
        ...more,
      },
    }),
    async reach<K extends SignInState['kind']>(signIn: DeviceSignIn, kind: K) {
      await base.clock.runUntil(() => signIn.state.get().kind === kind, { stepMs: 100 });
      return signIn.state.get() as Extract<SignInState, { kind: K }>;
    },
    shown: (signIn) => fixture.reach(signIn, 'code'),
    async dieWithCodeInSight() {
      const { signIn } = await fixture.create();
      base.server.expect(START, fixture.code(1)).otherwise(pending);
      signIn.start();
      await fixture.shown(signIn);
      base.storage.dieAfter(0);
      signIn.cancel(); // its timers are of the dead process
      await base.clock.settle();
      base.storage.heal();
    },
  };
  return fixture;
}
