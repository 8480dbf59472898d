import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTask } from 'node:timers/promises';
import type { SendHttp } from '../../src/host/http.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import { memorySecrets } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';
import { createOAuthFixture, type OAuthFixture } from './fixture.js';

let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

/** Another one on the same storage is the next run of the plugin. */
function revocations(send = fixture.send): Revocations {
  const { client, storage, clock, redactor } = fixture;
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
  it('are stored for the next run, each once', async () => {
    const first = revocations();
    for (let number = 0; number < 20; number += 1) await first.add(`token-${number}`);
    await first.add('token-19');
    const next = revocations();
    expect(await next.has('token-0')).toBe(true);
    expect(await next.has('token-19')).toBe(true);
    expect(await next.has('token-20')).toBe(false);
  });

  it('are the newest twenty at most', async () => {
    const first = revocations();
    for (let number = 0; number <= 20; number += 1) await first.add(`token-${number}`);
    expect(await first.has('token-0')).toBe(false);
    expect(await first.has('token-1')).toBe(true);
    expect(await first.has('token-20')).toBe(true);
  });

  /** A service that revokes every token, and the received tokens. */
  function listening(whileTold: () => void = () => undefined): { send: SendHttp; told: string[] } {
    const told: string[] = [];
    return {
      told,
      send: async ({ body }) => {
        told.push(new URLSearchParams(typeof body === 'string' ? body : '').get('token') ?? '');
        await nextTask();
        whileTold();
        return { status: 200, text: '', header: () => null };
      },
    };
  }

  it('are revoked once, also when storage does not delete them', async () => {
    let asked = 0;
    const { send, told } = listening(() => {
      asked += 1;
      if (asked < 5) tokens.flush();
    });
    const tokens = revocations(send);
    await tokens.add('token-1');
    fixture.storage.fail('secrets.remove', new Error('refused'));
    fixture.storage.fail('secrets.set', new Error('refused'));
    tokens.flush();
    for (let task = 0; task < 100; task += 1) await nextTask();
    expect(told).toEqual(['token-1']);
  });

  it('are revoked once when storage refuses them', async () => {
    const { send, told } = listening();
    const tokens = revocations(send);
    fixture.storage.fail('secrets.set', new Error('refused'));
    await tokens.add('token-1');
    expect(await tokens.has('token-1')).toBe(true);
    for (let turn = 0; turn < 3; turn += 1) {
      tokens.flush();
      for (let task = 0; task < 30; task += 1) await nextTask();
    }
    expect(told).toEqual(['token-1']);
    expect(await tokens.has('token-1')).toBe(false);
  });

  it('include the token of a replaced session after a kill', async () => {
    const { send, told } = listening();
    const { client, storage, clock, redactor } = fixture;
    const tokens = fixture.store({});
    storage.secrets.set(
      SECRET_KEYS.session,
      writeSession(tokens, { replacedToken: 'refresh-token-0' }),
    );
    const shared = { send, client, secrets: memorySecrets(storage), clock, redactor };
    const options = {
      ...shared,
      random: () => 0,
      randomBytes: seededBytes(1),
      instanceId: 'instance-1',
    };
    const session = new Session({ ...options, revocations: new Revocations(options) });

    await session.load();
    for (let task = 0; task < 30; task += 1) await nextTask();

    expect(told).toEqual(['refresh-token-0']);
    expect(await session.accessToken()).toBe(tokens.accessToken);
  });
});
