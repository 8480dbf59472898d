import { expect, it } from '@jest/globals';
import { toCwError } from '../../../src/util/errors.js';
import { Redactor } from '../../../src/util/redact.js';
import type { HttpRequest } from '../../../src/host/http.js';
import { Revocations } from '../../../src/oauth/session/revocations.js';
import { Session } from '../../../src/oauth/session/session.js';
import { testClient } from '../../api/signed-in.js';
import { httpResponse } from '../../support/conversation.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';

const HOUR_MS = 3_600_000;

it.each([
  ['that is told to wait for an hour', '3600'],
  ['that is told nothing', undefined],
])('the delay after a failed refresh %s does not affect the next session', async (_what, wait) => {
  const clock = new FakeClock();
  const refreshed: string[] = [];
  let isBusy = true;
  const shared = {
    client: testClient('https://service.example'),
    secrets: memorySecrets(new MemoryStorage()),
    random: () => 0,
    redactor: new Redactor(),
    send: ({ body }: HttpRequest) => {
      refreshed.push(
        /refresh_token=([\w-]+)/.exec(typeof body === 'string' ? body : '')?.[1] ?? '',
      );
      const tokens = { access_token: 'svc_at_new', token_type: 'Bearer', expires_in: 3600 };
      return Promise.resolve(
        isBusy
          ? httpResponse(503, wait === undefined ? {} : { 'Retry-After': wait })
          : httpResponse(200, {}, tokens),
      );
    },
  };
  const session = new Session({
    ...shared,
    clock,
    randomBytes: seededBytes(1),
    // Revocations have their own service and timers.
    revocations: new Revocations({
      ...shared,
      clock: new FakeClock(),
      send: () => Promise.resolve(httpResponse(200)),
    }),
    instanceId: 'instance-1',
  });
  const adopt = (refreshToken: string): Promise<void> =>
    session.adopt({
      accessToken: `svc_at_of-${refreshToken}`,
      refreshToken,
      obtainedAt: clock.now() - HOUR_MS,
      expiresAt: clock.now(),
    });
  const ask = async (): Promise<string> => {
    const asked = session
      .accessToken()
      .catch((error: unknown) => toCwError(error, 'CW-901', '').code);
    // Less than the shortest pause is long, and enough for the lease of a refresh.
    await clock.advance(600);
    return asked;
  };
  await adopt('first');
  expect([await ask(), await ask()]).toEqual(['CW-303', 'CW-303']);
  expect(refreshed).toEqual(['first']);

  isBusy = false;
  await adopt('second');

  expect(await ask()).toBe('svc_at_new');
  expect(refreshed).toEqual(['first', 'second']);
});
