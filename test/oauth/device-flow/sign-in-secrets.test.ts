import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceSignIn } from '../../../src/oauth/device-flow/sign-in.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { createOAuthFixture, type OAuthFixture } from '../fixture.js';
import { createSignIn } from './sign-in-fixture.js';

/** No text for users or support may contain the secrets of a sign-in. */
let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

/** Nothing about it looks like a token: it is cut out because it is remembered, or not at all. */
const DEVICE_CODE = 'GmRhmhcxhwAzkoEqiMEg/DnyEysNkuNhszIySk9eS';

describe('the device code', () => {
  const isShown = (one: DeviceSignIn) => () => one.state.get().kind === 'code';
  const log = (): string =>
    fixture.redactor.redact(`posting ${DEVICE_CODE}, ${encodeURIComponent(DEVICE_CODE)}`);

  it('is redacted from every text, in this run and in the next', async () => {
    fixture.server.expect(
      { method: 'POST', path: '/api/oauth/device_authorization' },
      {
        status: 200,
        body: {
          device_code: DEVICE_CODE,
          user_code: 'BCDF-GHJK',
          verification_uri: `${fixture.server.origin}/oauth/device`,
        },
      },
    );
    const { signIn: first } = await createSignIn(fixture);
    expect(log()).toContain(DEVICE_CODE);
    first.start();
    await fixture.clock.runUntil(isShown(first), { stepMs: 100 });
    expect(log()).toBe('posting [removed], [removed]');
    const kept = fixture.storage.secrets.get(SECRET_KEYS.signIn) ?? '';
    expect(kept).toContain(DEVICE_CODE);
    first.cancel();
    await fixture.clock.settle();

    // The next run reads it from storage.
    const { server } = fixture;
    const next = await createOAuthFixture();
    await next.server.close();
    fixture = { ...next, server, client: fixture.client, send: fixture.send };
    fixture.storage.secrets.set(SECRET_KEYS.signIn, kept);
    const { signIn: second } = await createSignIn(fixture);
    expect(log()).toContain(DEVICE_CODE);
    await second.resume();
    expect(isShown(second)()).toBe(true);
    expect(log()).toBe('posting [removed], [removed]');
    second.cancel();
  });
});
