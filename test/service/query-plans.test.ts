import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Database } from '../../service/database/database.js';
import { purgeExpired, purgeOrphans } from '../../service/database/upkeep.js';
import { listUploads, poll, refresh, revoke, startDevice, tokensOf } from './client.js';
import { addGrants } from './database/many-grants.js';
import { planning, planOf, type Planned } from './database/plans.js';
import { openReadyDatabase } from './kept-databases.js';
import { startTestService, type TestService } from './running.js';
import { create, photo } from './tus.js';

/** Enough that the planner prefers an index where there is one. The full size: `GRANTS=200000 npm run test:postgres --`. */
const GRANTS = Number(process.env['GRANTS'] ?? 4000);

describe(`the plans of the statements, with ${GRANTS} connections`, () => {
  let database: Database;
  let service: TestService;
  const planned: Planned[] = [];

  beforeAll(async () => {
    database = await openReadyDatabase();
    await addGrants(database, GRANTS);
    service = await startTestService({ database: planning(database, planned) });
  });
  afterAll(() => service.close());

  it('read no table from end to end for a request', async () => {
    const { baseUrl } = service;
    const tokens = await service.connect();
    const { deviceCode } = await startDevice(baseUrl);
    await database.query('ANALYZE');
    planned.length = 0;

    await poll(baseUrl, deviceCode);
    const attempt = randomBytes(32).toString('base64url');
    const answer = await refresh(baseUrl, tokens.refreshToken, { refresh_attempt: attempt });
    const { accessToken, refreshToken } = tokensOf(answer);
    await listUploads(baseUrl, accessToken);
    await create(baseUrl, accessToken, { length: 10, body: photo(10) });
    await revoke(baseUrl, refreshToken);

    // The tables of polls and of uploads are nearly empty here; the others have grown.
    const grown = /^(oidc_records|consents|accounts|workspaces|workspace_members)$/;
    expect(planned.length).toBeGreaterThanOrEqual(10);
    expect(planned.filter(({ scanned }) => scanned.some((table) => grown.test(table)))).toEqual([]);
  });

  it.each([
    [
      'the end of a grant',
      `DELETE FROM oidc_records WHERE grant_id = $1 OR (kind = 'Grant' AND id = $1)`,
    ],
    ['the workspaces of a person', 'SELECT 1 FROM workspace_members WHERE account_id = $1'],
    ['a workspace that goes, for consents', 'DELETE FROM consents WHERE workspace_id = $1'],
    [
      'a workspace that goes, for tokens',
      'DELETE FROM personal_access_tokens WHERE workspace_id = $1',
    ],
    ['a person who goes, for consents', 'DELETE FROM consents WHERE account_id = $1'],
  ])('read no table from end to end for %s', async (_what, sql) => {
    expect((await planOf(database, sql, ['one'])).scanned).toEqual([]);
  });

  it('look for consents without a grant in steps, each by an index', async () => {
    await database.query(`DELETE FROM oidc_records WHERE kind = 'Grant' AND id = 'grant-17'`);
    const steps: Planned[] = [];

    await purgeOrphans(planning(database, steps), new Date());

    expect(steps.length).toBeGreaterThan(GRANTS / 500);
    expect(steps.filter(({ scanned }) => scanned.length > 0)).toEqual([]);
    expect(await consents('grant-17')).toBe(0);
    expect(await consents('grant-18')).toBe(1);
  });

  it('remove what has expired a few rows at a time, consents with their grants', async () => {
    const steps: Planned[] = [];

    await purgeExpired(planning(database, steps), new Date());

    // Five records of each tenth connection, five hundred in one step.
    expect(steps.length).toBeGreaterThan(GRANTS / 2 / 500);
    expect(await consents('grant-10')).toBe(0);
    expect(await consents('grant-11')).toBe(1);
    const left = `SELECT 1 FROM oidc_records WHERE expires_at < now() - interval '1 day' LIMIT 1`;
    expect(await database.query(left)).toEqual([]);
  });

  async function consents(grantId: string): Promise<number> {
    const rows = await database.query('SELECT 1 FROM consents WHERE grant_id = $1', [grantId]);
    return rows.length;
  }
});
