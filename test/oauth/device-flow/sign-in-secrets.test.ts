import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeviceSignIn } from '../../../src/oauth/device-flow/sign-in.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { createRig, type Rig } from '../fixture.js';
import { createSignIn } from './sign-in-fixture.js';

/** No text for people or support may hold what a sign-in keeps secret. */
let rig: Rig;

beforeEach(async () => {
  rig = await createRig();
});

afterEach(() => rig.server.close());

/** Nothing about it looks like a token: it is cut out because it is remembered, or not at all. */
const DEVICE_CODE = 'GmRhmhcxhwAzkoEqiMEg/DnyEysNkuNhszIySk9eS';

describe('the device code', () => {
  const isShown = (one: DeviceSignIn) => () => one.state.get().kind === 'code';
  const log = (): string =>
    rig.redactor.redact(`posting ${DEVICE_CODE}, ${encodeURIComponent(DEVICE_CODE)}`);

  it('of a sign-in in progress is cut out of every text, in this run and in the next', async () => {
    rig.server.expect(
      { method: 'POST', path: '/api/oauth/device_authorization' },
      {
        status: 200,
        body: {
          device_code: DEVICE_CODE,
          user_code: 'BCDF-GHJK',
          verification_uri: `${rig.server.origin}/oauth/device`,
        },
      },
    );
    const { signIn: first } = await createSignIn(rig);
    expect(log()).toContain(DEVICE_CODE);
    first.start();
    await rig.clock.runUntil(isShown(first), { stepMs: 100 });
    expect(log()).toBe('posting [removed], [removed]');
    const kept = rig.storage.secrets.get(SECRET_KEYS.signIn) ?? '';
    expect(kept).toContain(DEVICE_CODE);
    first.cancel();
    await rig.clock.settle();

    // The next run knows it from storage alone.
    const { server } = rig;
    const next = await createRig();
    await next.server.close();
    rig = { ...next, server, client: rig.client, send: rig.send };
    rig.storage.secrets.set(SECRET_KEYS.signIn, kept);
    const { signIn: second } = await createSignIn(rig);
    expect(log()).toContain(DEVICE_CODE);
    await second.resume();
    expect(isShown(second)()).toBe(true);
    expect(log()).toBe('posting [removed], [removed]');
    second.cancel();
  });
});
