import { describe, expect, it } from '@jest/globals';
import { createClient } from '../../../src/config.js';
import { readSession } from '../../../src/oauth/session/session-codec.js';
import { refreshRequest } from '../../../src/oauth/token-endpoint.js';
import fc from '../../support/properties.js';
import { testRuns, testSeed } from '../../support/seeded-random.js';
import { modelPeer, type ModelPeer } from './model-peer.js';
import { history } from './history-steps.js';
import { HistoryRun } from './session-histories.js';

const HISTORIES = Number(process.env['SESSION_HISTORIES'] ?? testRuns(60));
const ROUNDS = 5;
const seed = testSeed();

/** A thief with a copy of secure storage at some instant. */
class Thief {
  private refreshToken: string;
  private attempt: string | null;

  constructor(
    private readonly peer: ModelPeer,
    record: string,
    private readonly usesAccessTokens: boolean,
  ) {
    const stored = readSession(record);
    if (stored.kind !== 'tokens') throw new Error('nothing to steal');
    this.refreshToken = stored.tokens.refreshToken ?? '';
    this.attempt = stored.tokens.refreshAttempt;
  }

  /** Gives whether the service gave tokens. */
  async refreshes(): Promise<boolean> {
    const client = createClient('https://service.example', 'plugin', 'uploads:write');
    const sent = this.peer.send(
      refreshRequest(client, this.refreshToken, this.attempt ?? `of the thief ${Math.random()}`),
    );
    await this.peer.pass(1_000);
    const { status, text } = await sent;
    if (status !== 200) return false;
    const answer = JSON.parse(text) as { access_token: string; refresh_token: string };
    this.refreshToken = answer.refresh_token;
    this.attempt = null;
    if (this.usesAccessTokens) await this.peer.use(answer.access_token);
    return true;
  }
}

describe(`a stolen copy of secure storage (TEST_SEED=${seed})`, () => {
  // @threat H7
  it(`never stays valid next to the owner’s session, in ${HISTORIES} histories`, async () => {
    let thiefSucceeded = 0;
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.nat(1_000),
        fc.boolean(),
        fc.boolean(),
        async (steps, instant, usesAccessTokens, thiefFirst) => {
          const peer = modelPeer({ knowsAttempts: true });
          const run = new HistoryRun(peer);
          await run.start();
          for (const step of steps) await run.take(step);
          await peer.pass(60_000);
          const { records } = run;
          const thief = new Thief(peer, records[instant % records.length] ?? '', usesAccessTokens);
          let owner = true;
          let stolen = true;
          for (let round = 0; round < ROUNDS; round += 1) {
            if (thiefFirst || round > 0) stolen = await thief.refreshes();
            if (stolen) thiefSucceeded += 1;
            owner = await run.worksOn();
          }
          await peer.pass(60_000);
          stolen = await thief.refreshes();
          if (owner && stolen) throw new Error('both go on');
          // If one of them continues alone, the other was refused, and the owner sees it.
          if (!owner && stolen) throw new Error('the thief goes on after the owner was refused');
        },
      ),
      { seed, numRuns: HISTORIES, endOnFailure: false },
    );
    // Thieves that never get anything would prove nothing.
    expect(thiefSucceeded).toBeGreaterThan(HISTORIES / 20);
  }, 7_200_000);
});
