import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport } from '../../../src/api/transport.js';
import type { Clock } from '../../../src/util/clock.js';
import { CwError } from '../../../src/util/errors.js';
import { Redactor } from '../../../src/util/redact.js';
import type { SecretStore } from '../../../src/host/storage.js';
import type { SendHttp } from '../../../src/host/http.js';
import { hostClock } from '../../../src/host/system.js';
import { Revocations } from '../../../src/oauth/session/revocations.js';
import { Session } from '../../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../../src/oauth/session/session-codec.js';
import { createClient } from '../../../src/config.js';
import { startTestService, type TestService } from '../../service/support/running-service.js';
import { memorySecrets, MemoryStorage } from '../../support/memory-host.js';
import { NodeXhr } from '../../support/node-xhr.js';
import { seededBytes, testRuns, testSeed } from '../../support/seeded-random.js';

const LOST = testRuns(8);
const seed = testSeed();

/** The plugin's half and the service's, each as it is; only the network between them loses things. */
describe(`a refresh at the real service (TEST_SEED=${seed})`, () => {
  let service: TestService;
  let storage: MemoryStorage;
  let instances = 0;
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => hostClock.now(),
    startTimer: (ms, callback) => {
      const stop = hostClock.startTimer(ms, callback);
      timers.push(stop);
      return stop;
    },
  };

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    // Instances that were killed never stop theirs.
    for (const stop of timers) stop();
    await service.close();
  });

  /** Tokens that must be refreshed at once. */
  const store = (tokens: { accessToken: string; refreshToken: string }): void => {
    const record = {
      ...tokens,
      obtainedAt: 0,
      expiresAt: 1,
      refreshAttemptSupported: true,
    } as const;
    storage.secrets.set(SECRET_KEYS.session, writeSession(record));
  };
  beforeEach(async () => {
    storage = new MemoryStorage();
    store(await service.connect());
  });

  const toService = (): SendHttp => {
    const { origin } = createClient(service.baseUrl, 'creative-workspace-plugin', 'uploads:write');
    return createTransport({ createXhr: () => new NodeXhr(), clock, origin });
  };

  /** An instance of the plugin. `around` sees each of its steps: of storage, sending, and the answer's arrival. */
  const open = async (
    around: <T>(step: () => Promise<T>) => Promise<T> = (step) => step(),
    lose: () => boolean = () => false,
  ): Promise<Session> => {
    instances += 1;
    const send = toService();
    const inner = memorySecrets(storage);
    const secrets: SecretStore = {
      get: (key) => around(() => inner.get(key)),
      set: (key, value) => around(() => inner.set(key, value)),
      remove: (key) => around(() => inner.remove(key)),
    };
    const shared = {
      send: (async (request, signal) => {
        const response = await around(() => send(request, signal));
        if (lose()) throw new CwError('CW-301', 'the answer was lost');
        return around(() => Promise.resolve(response));
      }) satisfies SendHttp,
      client: createClient(service.baseUrl, 'creative-workspace-plugin', 'uploads:write'),
      secrets,
      clock,
      random: () => 0,
      randomBytes: seededBytes(seed + instances),
      redactor: new Redactor(),
    };
    const session = new Session({
      ...shared,
      revocations: new Revocations(shared),
      instanceId: `instance-${instances}`,
    });
    await session.load();
    return session;
  };

  const isTaken = async (accessToken: string): Promise<boolean> => {
    const answer = await fetch(`${service.baseUrl}/api/v1/me`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return answer.status === 200;
  };

  /** A token that the data API takes, as the request queue gets one. */
  const workingToken = async (session: Session): Promise<string> => {
    const token = await session.accessToken();
    if (await isTaken(token)) return token;
    await session.rejected(token);
    return session.accessToken();
  };

  it(`succeeds after each of ${LOST} lost responses`, async () => {
    let lost = 0;
    for (let round = 0; round < LOST; round += 1) {
      let isLost = true;
      const session = await open(undefined, () => {
        lost += isLost ? 1 : 0;
        return isLost;
      });
      await expect(session.accessToken()).rejects.toMatchObject({ code: 'CW-301' });
      isLost = false;
      session.retryNow();

      const token = await session.accessToken();

      expect(await isTaken(token)).toBe(true);
      const stored = JSON.parse(storage.secrets.get(SECRET_KEYS.session) ?? '{}') as Parameters<
        typeof store
      >[0];
      store(stored);
    }
    expect(lost).toBe(LOST);
  });

  it('succeeds after a kill at any step', async () => {
    let killed = 0;
    for (let steps = 0; ; steps += 1) {
      let left = steps;
      const plugin: { died: boolean } = { died: false };
      const instance = open(async (step) => {
        if (left <= 0) {
          plugin.died = true;
          return new Promise(() => undefined);
        }
        left -= 1;
        return step();
      });
      const ends = instance.then((session) => session.accessToken()).then(() => true);
      for (let waits = 0; waits < 500 && !plugin.died; waits += 1) {
        if ((await Promise.race([ends, pause(10)])) === true) break;
      }
      killed += plugin.died ? 1 : 0;

      const next = await open();
      const token = await workingToken(next);

      expect(await isTaken(token)).toBe(true);
      if (!plugin.died) break;
      expect(steps).toBeLessThan(30);
      store(
        JSON.parse(storage.secrets.get(SECRET_KEYS.session) ?? '{}') as Parameters<typeof store>[0],
      );
    }
    // Read, key, lease, send, response, store: with fewer steps no kill would be in between.
    expect(killed).toBeGreaterThan(5);
  });

  it('happens once for two plugin instances at the same time', async () => {
    const [one, other] = await Promise.all([open(), open()]);

    const tokens = await Promise.all([one.accessToken(), other.accessToken()]);

    // Each may have been given an access token, of which the later one is good; the session is one.
    const taken = await Promise.all(tokens.map(isTaken));
    expect(taken).toContain(true);
    for (const session of [one, other])
      expect(await isTaken(await workingToken(session))).toBe(true);
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
