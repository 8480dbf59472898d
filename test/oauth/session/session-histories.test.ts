import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTransport } from '../../../src/api/transport.js';
import {
  readTokenResponse,
  refreshRequest,
  type TokenSet,
} from '../../../src/oauth/token-endpoint.js';
import { createClient } from '../../../src/config.js';
import { startTestService, type TestService } from '../../service/support/running-service.js';
import { FakeClock } from '../../support/fake-clock.js';
import { NodeXhr } from '../../support/node-xhr.js';
import fc from '../../support/properties.js';
import { testRuns, testSeed } from '../../support/seeded-random.js';
import { history, historyOfOlderService, type Step } from './history-steps.js';
import { LIFETIME_MS, runHistory, type Peer } from './session-histories.js';
import { modelPeer } from './model-peer.js';

/** `npm run test:all -- session` takes 10,000 of each kind; each run a few. */
const REAL_HISTORIES = Number(process.env['SESSION_HISTORIES'] ?? testRuns(15));
const MODEL_HISTORIES = Number(process.env['SESSION_HISTORIES'] ?? testRuns(100));
const OLDER_HISTORIES = Number(process.env['SESSION_HISTORIES'] ?? testRuns(50));

const seed = testSeed();
const settings = (numRuns: number): fc.Parameters<[unknown]> => ({
  seed,
  numRuns,
  endOnFailure: false,
});

describe(`random histories of a session (TEST_SEED=${seed})`, () => {
  it.each([
    ['a model of the service', MODEL_HISTORIES, history, true],
    [
      'a model of a service that ignores refresh_attempt',
      OLDER_HISTORIES,
      historyOfOlderService,
      false,
    ],
  ])(
    'end no session of %s, %i of them',
    async (_name, count, histories: fc.Arbitrary<Step[]>, knowsAttempts) => {
      let refreshes = 0;
      let requests = 0;
      await fc.assert(
        fc.asyncProperty(histories, async (steps) => {
          const figures = await runHistory(modelPeer({ knowsAttempts }), steps);
          refreshes += figures.refreshes;
          requests += figures.requests;
        }),
        settings(count),
      );
      // A harness that never refreshed would prove nothing.
      expect(refreshes).toBeGreaterThan(count);
      expect(requests).toBeGreaterThan(count * 3);
    },
    7_200_000,
  );

  describe('against the local service', () => {
    let service: TestService;
    let tokens: TokenSet;

    beforeAll(async () => {
      service = await startTestService();
      const { accessToken, refreshToken } = await service.connect();
      tokens = {
        accessToken,
        refreshToken,
        obtainedAt: 0,
        expiresAt: 0,
        refreshAttemptSupported: true,
      };
    });

    afterAll(() => service.close());

    it(`end no session in ${REAL_HISTORIES} histories on one grant`, async () => {
      let refreshes = 0;
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const peer = servicePeer(service.baseUrl, tokens, (newest) => {
            tokens = newest;
          });
          refreshes += (await runHistory(peer, steps)).refreshes;
        }),
        settings(REAL_HISTORIES),
      );
      expect(refreshes).toBeGreaterThan(REAL_HISTORIES);
    }, 7_200_000);
  });
});

/** The real service over HTTP. Its tokens live long; the lifetime the plugin sees is the histories' own. */
function servicePeer(baseUrl: string, begin: TokenSet, onNewest: (tokens: TokenSet) => void): Peer {
  const clock = new FakeClock();
  const client = createClient(baseUrl, 'creative-workspace-plugin', 'uploads:write');
  const send = createTransport({ createXhr: () => new NodeXhr(), clock, origin: client.origin });
  let onTheWire = 0;
  return {
    client,
    clock,
    begin: () => ({ ...begin, obtainedAt: clock.now(), expiresAt: clock.now() + LIFETIME_MS }),
    async use(accessToken) {
      onTheWire += 1;
      try {
        const { status } = await fetch(`${baseUrl}/api/v1/me`, {
          headers: { authorization: `Bearer ${accessToken}` },
        });
        return status === 200;
      } finally {
        onTheWire -= 1;
      }
    },
    pass: (ms) => clock.advanceWhenIdle(ms, () => onTheWire > 0),
    send: async (request, signal) => {
      expect(request.url).toBe(refreshRequest(client, '', '').url);
      onTheWire += 1;
      try {
        const response = await send(request, signal);
        if (response.status !== 200) return response;
        onNewest(readTokenResponse(response, clock.now()));
        const body = JSON.parse(response.text) as object;
        return {
          ...response,
          text: JSON.stringify({ ...body, expires_in: LIFETIME_MS / 1000 }),
        };
      } finally {
        onTheWire -= 1;
      }
    },
  };
}
