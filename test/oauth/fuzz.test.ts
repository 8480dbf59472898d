import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { CwError, ERROR_CODES } from '../../src/util/errors.js';
import { Redactor } from '../../src/util/redact.js';
import type { HttpResponse, SendHttp } from '../../src/host/http.js';
import {
  requestDeviceAuthorization,
  type DeviceAuthorization,
} from '../../src/oauth/device-flow/authorization.js';
import { pollForTokens } from '../../src/oauth/device-flow/polling.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import { refreshTokens, revokeRefreshToken } from '../../src/oauth/token-endpoint.js';
import { createClient } from '../../src/config.js';
import { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';
import { seededBytes, seededRandom, testRuns, testSeed } from '../support/seeded-random.js';

/** Answers at each of the three endpoints; `npm run test:all -- long` takes ten times as many. */
const ANSWERS = testRuns(3_000);
/** In every response in place of a secret; must not appear anywhere. */
const CANARY = 'canary-Zq81xv';

const seed = testSeed();
const client = createClient('https://service.example', 'plugin', 'uploads:write');
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};

beforeAll(() => {
  process.on('unhandledRejection', onUnhandled);
});

afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
});

describe(`hostile responses (TEST_SEED=${seed})`, () => {
  it(`${ANSWERS} at the device authorization endpoint`, async () => {
    const outcomes = await feed(seed, DEVICE_ANSWER, async (send) => {
      const authorization = await requestDeviceAuthorization(send, client, null, () => 0);
      // Accepted values are safe to open and to show.
      const { verificationUri, verificationUriComplete, intervalMs, expiresAt, userCode } =
        authorization;
      must(verificationUri.startsWith('https://service.example/'), verificationUri);
      must(
        verificationUriComplete?.startsWith('https://service.example/') ?? true,
        verificationUriComplete,
      );
      must(intervalMs >= 1_000 && expiresAt <= 86_400_000, { intervalMs, expiresAt });
      must(/^[ -~]{1,32}$/.test(userCode), userCode);
    });
    // About one response in a hundred is an acceptance.
    expect(outcomes.get('accepted')).toBeGreaterThan(ANSWERS / 300);
    expect(outcomes.get('CW-305')).toBeGreaterThan(ANSWERS / 100);
    expect(outcomes.get('CW-104')).toBeGreaterThan(ANSWERS / 1000);
  });

  it(`${ANSWERS} at the token endpoint, refreshing`, async () => {
    const outcomes = await feed(seed + 1, TOKEN_ANSWER, async (send) => {
      const tokens = await refreshTokens(
        send,
        client,
        { refreshToken: 'old', attempt: 'attempt' },
        () => 0,
      );
      must(/^svc_at_[!-~]*$/.test(tokens.accessToken), 'the access token');
      must(/^[!-~]+$/.test(tokens.refreshToken ?? ''), 'the refresh token');
      must(tokens.expiresAt === null || tokens.expiresAt > 0, tokens.expiresAt);
    });
    // About one response in a hundred is an acceptance.
    expect(outcomes.get('accepted')).toBeGreaterThan(ANSWERS / 300);
    expect(outcomes.get('CW-202')).toBeGreaterThan(ANSWERS / 100);
  });

  it(`${ANSWERS / 10} at the token endpoint, polling until an end or the tenth answer`, async () => {
    const random = seededRandom(seed + 2);
    for (let count = 0; count < ANSWERS / 10; count += 1) {
      const clock = new FakeClock();
      const cancel = new CancelSource();
      let answers = 0;
      const send: SendHttp = () => {
        answers += 1;
        if (answers === 10) cancel.cancel();
        return Promise.resolve(mutate(random, random() < 0.5 ? POLL_ANSWER : TOKEN_ANSWER));
      };
      const polling = pollForTokens({
        send,
        client,
        clock: instantly(clock),
        random,
        authorization: { ...AUTHORIZATION, expiresAt: clock.now() + 900_000 },
        signal: cancel.signal,
      });
      await polling.then(() => undefined, check);
    }
    expect(unhandled).toEqual([]);
  });

  it(`${ANSWERS} at the revocation endpoint`, async () => {
    const outcomes = await feed(seed + 3, POLL_ANSWER, (send) =>
      revokeRefreshToken(send, client, 'old', () => 0),
    );
    // About one response in a hundred is an acceptance.
    expect(outcomes.get('accepted')).toBeGreaterThan(ANSWERS / 300);
  });

  // @threat H2
  it('leave a session without hangs and with typed errors only', async () => {
    const random = seededRandom(seed + 4);
    for (let count = 0; count < testRuns(60); count += 1) {
      const clock = new FakeClock();
      const storage = new MemoryStorage();
      storage.secrets.set(
        SECRET_KEYS.session,
        writeSession({
          accessToken: `svc_at_${CANARY}`,
          refreshToken: CANARY,
          obtainedAt: clock.now(),
          expiresAt: clock.now(),
        }),
      );
      const shared = {
        send: () => Promise.resolve(mutate(random, TOKEN_ANSWER)),
        client,
        secrets: memorySecrets(storage),
        clock: instantly(clock),
        random,
        randomBytes: seededBytes(seed),
        redactor: new Redactor(),
      };
      const session = new Session({
        ...shared,
        revocations: new Revocations(shared),
        instanceId: 'instance',
      });
      await session.load();
      await session.accessToken().then(() => undefined, check);
      expect(inspect(session.state.get(), { depth: 9 })).not.toContain(CANARY);
      await session.disconnect();
    }
    expect(unhandled).toEqual([]);
  });
});

/** Feeds answers one by one. Gives how many ended how. */
async function feed(
  from: number,
  template: Answer,
  use: (send: SendHttp) => Promise<void>,
): Promise<Map<string, number>> {
  const random = seededRandom(from);
  const outcomes = new Map<string, number>();
  for (let count = 0; count < ANSWERS; count += 1) {
    const answer = mutate(random, template);
    const outcome = await use(() => Promise.resolve(answer)).then(() => 'accepted', check);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(unhandled).toEqual([]);
  return outcomes;
}

/** An assertion that costs nothing while it holds: there are hundreds of thousands of them. */
function must(holds: boolean, what: unknown): void {
  if (!holds) throw new Error(`accepted: ${inspect(what)}`);
}

/** Only our own errors with a known code may be thrown, without the secret. */
function check(thrown: unknown): string {
  if (thrown instanceof CancelledError) return 'cancelled';
  if (!(thrown instanceof CwError)) throw thrown;
  if (!ERROR_CODES.includes(thrown.code)) throw new Error(`unknown code ${thrown.code}`);
  const { cause, stack, ...shown } = thrown;
  const told = `${String(stack)} ${JSON.stringify(shown)} ${cause === undefined ? '' : inspect(cause)}`;
  if (told.includes(CANARY)) throw new Error(`a secret in an error: ${told}`);
  return thrown.code;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const DEVICE_ANSWER: Answer = {
  status: 200,
  body: {
    device_code: CANARY,
    user_code: 'BCDF-GHJK',
    verification_uri: 'https://service.example/oauth/device',
    verification_uri_complete: 'https://service.example/oauth/device?user_code=BCDF-GHJK',
    expires_in: 900,
    interval: 5,
  },
};
const TOKEN_ANSWER: Answer = {
  status: 200,
  body: {
    access_token: `svc_at_${CANARY}`,
    refresh_token: CANARY,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'uploads:write',
  },
};
const POLL_ANSWER: Answer = {
  status: 400,
  body: { error: 'authorization_pending', error_description: CANARY },
};
const AUTHORIZATION: DeviceAuthorization = {
  deviceCode: CANARY,
  userCode: 'BCDF-GHJK',
  verificationUri: 'https://service.example/oauth/device',
  verificationUriComplete: null,
  expiresAt: 0,
  intervalMs: 5_000,
};

const STATUSES = [
  200, 200, 200, 201, 204, 301, 302, 400, 400, 401, 403, 404, 408, 429, 500, 502, 503, 0, 999,
];
const VALUES: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1e308,
  NaN,
  true,
  [],
  {},
  [CANARY],
  { a: CANARY },
  '\0',
  '\r\nX: y',
  '🦊',
  'x'.repeat(9_000),
  'https://evil.example/',
  'https://service.example.evil.example/',
  'https://service.example@evil.example/',
  '//service.example/',
  'https://service.example\\@evil.example',
  'HTTPS://SERVICE.EXAMPLE/oauth',
  'invalid_grant',
  'access_denied',
  'slow_down',
  'expired_token',
  '5',
  '5e3',
  'Infinity',
  1e-9,
];

/** An answer like `template` with up to three things wrong with it, from a wrong status to torn text. */
function mutate(random: () => number, template: Answer): HttpResponse {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const body: Record<string, unknown> = { ...template.body };
  let status = template.status;
  const headers: Record<string, string> = {};
  let tear = false;
  for (let faults = Math.floor(random() * 4); faults > 0; faults -= 1) {
    const field = pick(Object.keys(body)) ?? 'error';
    switch (Math.floor(random() * 7)) {
      case 0:
        status = pick(STATUSES) ?? 200;
        break;
      case 1:
        Reflect.deleteProperty(body, field);
        break;
      case 2:
      case 3:
        body[field] = pick(VALUES);
        break;
      case 4:
        tear = true;
        break;
      case 5:
        headers['retry-after'] =
          pick(['1', '-1', '99999999999', 'soon', 'Wed, 21 Oct 2099 07:28:00 GMT']) ?? '';
        headers['x-request-id'] = pick(['r-1', '<b>', 'x'.repeat(500)]) ?? '';
        break;
      case 6:
        body['error'] = pick([
          'invalid_grant',
          'slow_down',
          'access_denied',
          'ERR\n',
          7,
          '__proto__',
        ]);
        break;
    }
  }
  let text = JSON.stringify(body);
  if (tear) {
    const at = Math.floor(random() * text.length);
    text =
      random() < 0.5
        ? text.slice(0, at)
        : text.slice(0, at) +
          String.fromCharCode(Math.floor(random() * 65_536)) +
          text.slice(at + 1);
  }
  return { status, text, header: (name) => headers[name.toLowerCase()] ?? null };
}

/** A clock on which every timer fires at once, its time having passed. */
function instantly(clock: FakeClock): { now(): number; startTimer: FakeClock['startTimer'] } {
  return {
    now: () => clock.now(),
    startTimer(delayMs, callback) {
      let off = false;
      void Promise.resolve().then(() => {
        if (off) return;
        clock.jumpWall(delayMs);
        callback();
      });
      return () => {
        off = true;
      };
    },
  };
}
