import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { UnknownOutcomeError } from '../../../../service/kernel/errors.js';
import { refresh, type Tokens } from '../../support/oauth-client.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { startTestService, type TestService } from '../../support/running-service.js';

describe('a request whose commit has an unknown outcome', () => {
  let service: TestService;
  let tokens: Tokens;
  /** Ends the statements that are stuck: also jobs of the service have some. */
  const releases: (() => void)[] = [];
  /** The fault of a statement; undefined for none. */
  let instead: (() => Promise<never>) | undefined;

  beforeAll(async () => {
    const inner = await openReadyDatabase();
    const database = {
      ...inner,
      query: <Row extends object>(...statement: Parameters<typeof inner.query>): Promise<Row[]> =>
        instead?.() ?? inner.query<Row>(...statement),
    };
    service = await startTestService({ database, requestSeconds: 1 });
    tokens = await service.connect();
  });
  afterEach(() => {
    instead = undefined;
    for (const release of releases.splice(0)) release();
  });
  afterAll(() => service.close());

  const stuck = (): Promise<never> =>
    new Promise((_resolve, reject) => {
      releases.push(() => {
        reject(new UnknownOutcomeError());
      });
    });

  it.each<[string, () => Promise<never>]>([
    ['the outcome could not be found out', () => Promise.reject(new UnknownOutcomeError())],
    ['the time for the request is over', stuck],
  ])('gets no response when %s', async (_what, then) => {
    instead = then;

    await expect(refresh(service.baseUrl, tokens.refreshToken)).rejects.toThrow('fetch failed');
  });

  it('gets 503 in time when it only reads', async () => {
    instead = stuck;

    const { status, headers } = await fetch(`${service.baseUrl}/api/v1/me`, {
      headers: { authorization: `Bearer ${tokens.accessToken}` },
    });

    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
  });
});
