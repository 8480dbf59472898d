import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Revocations } from '../../src/oauth/revocations.js';
import { memorySecrets } from '../support/memory-host.js';
import { createRig, type Rig } from './rig.js';

let rig: Rig;

beforeEach(async () => {
  rig = await createRig();
});

afterEach(() => rig.server.close());

/** Another one on the same storage is the next run of the plugin. */
function revocations(): Revocations {
  const { send, client, storage, clock, redactor } = rig;
  return new Revocations({
    send,
    client,
    secrets: memorySecrets(storage),
    clock,
    random: () => 0,
    redactor,
  });
}

describe('tokens to revoke', () => {
  it('are kept for the next run, and none is kept twice', async () => {
    const first = revocations();
    for (let number = 0; number < 20; number += 1) await first.add(`token-${number}`);
    await first.add('token-19');
    const next = revocations();
    expect(await next.has('token-0')).toBe(true);
    expect(await next.has('token-19')).toBe(true);
    expect(await next.has('token-20')).toBe(false);
  });

  it('are at most twenty, the newest', async () => {
    const first = revocations();
    for (let number = 0; number <= 20; number += 1) await first.add(`token-${number}`);
    expect(await first.has('token-0')).toBe(false);
    expect(await first.has('token-1')).toBe(true);
    expect(await first.has('token-20')).toBe(true);
  });
});
