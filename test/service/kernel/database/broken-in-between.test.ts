import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type {
  Database,
  Queryable,
  SqlValue,
} from '../../../../service/kernel/database/database.js';
import { listUploads, refresh, revoke, tokensOf } from '../../support/oauth-client.js';
import { openTestDatabase } from '../../support/database-templates.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';
import { create, head, locationOf, patch, photo, sha256 } from '../../support/tus-client.js';

type Statement = (sql: string, params: readonly SqlValue[]) => boolean;

/** The database breaks between two statements that belong together. */
describe('a database failure within a request', () => {
  let service: TestService;
  let breaksAt: Statement | undefined;
  let broke = 0;

  const breaking = (to: Queryable): Queryable => ({
    query: (sql, params = []) => {
      if (breaksAt?.(sql, params) !== true) return to.query(sql, params);
      broke += 1;
      return Promise.reject(new Error('the database broke here'));
    },
  });

  beforeAll(async () => {
    const inner = await openTestDatabase();
    const database: Database = {
      ...inner,
      ...breaking(inner),
      transaction: (work, options) =>
        inner.transaction(
          (transaction) =>
            work({ ...breaking(transaction), execute: (script) => transaction.execute(script) }),
          options,
        ),
    };
    service = await startTestService({ database });
  });
  afterAll(() => service.close());
  afterEach(() => {
    breaksAt = undefined;
    broke = 0;
  });

  /** Makes the database fail in the middle of a statement, at the first row for which this trigger fires. */
  async function whileBroken(trigger: string, work: () => Promise<void>): Promise<void> {
    await service.database.query(
      `CREATE OR REPLACE FUNCTION break_here() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RAISE 'the database broke here'; END $$`,
    );
    const [, table = ''] = /ON (\w+)/.exec(trigger) ?? [];
    await service.database.query(`CREATE TRIGGER broken ${trigger} EXECUTE FUNCTION break_here()`);
    try {
      await work();
    } finally {
      await service.database.query(`DROP TRIGGER broken ON ${table}`);
    }
  }

  describe('a token exchange', () => {
    it.each(['AccessToken', 'RefreshToken'])(
      'changes nothing when the new %s cannot be stored',
      async (kind) => {
        const { refreshToken } = await service.connect();
        await whileBroken(
          `BEFORE INSERT ON oidc_records FOR EACH ROW WHEN (NEW.kind = '${kind}')`,
          async () => {
            const { status } = await refresh(service.baseUrl, refreshToken);
            expect(status).toBeGreaterThanOrEqual(500);
          },
        );

        const again = await refresh(service.baseUrl, refreshToken);

        expect(again.status).toBe(200);
        expect((await listUploads(service.baseUrl, tokensOf(again).accessToken)).status).toBe(200);
        // It was used now: once more is once too often.
        expect((await refresh(service.baseUrl, refreshToken)).status).toBe(400);
        expect((await listUploads(service.baseUrl, tokensOf(again).accessToken)).status).toBe(401);
      },
    );
  });

  it('rolls back a partial revocation, which can be repeated', async () => {
    const { accessToken, refreshToken } = await service.connect();
    await whileBroken('BEFORE DELETE ON consents FOR EACH ROW', async () => {
      const { status } = await revoke(service.baseUrl, refreshToken);
      expect(status).toBeGreaterThanOrEqual(500);
    });
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);

    expect((await revoke(service.baseUrl, refreshToken)).status).toBe(200);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(401);
  });

  describe('an upload with all bytes whose row could not be completed', () => {
    const finishes: Statement = (sql) => sql.includes('finish_upload');

    async function unlisted(seed: number): Promise<{
      token: string;
      url: string;
      hash: string;
      creation: Parameters<typeof create>[2];
    }> {
      const token = (await service.connect()).accessToken;
      const bytes = photo(5000, seed);
      const creation = {
        length: bytes.length,
        metadata: { filename: 'one.jpg', client_upload_id: randomUUID() },
      };
      const url = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
      breaksAt = finishes;
      expect((await patch(url, token, 0, bytes)).status).toBeGreaterThanOrEqual(500);
      breaksAt = undefined;
      expect(broke).toBe(1);
      expect(await hashes(token)).not.toContain(sha256(bytes));
      return { token, url, hash: sha256(bytes), creation };
    }

    async function hashes(token: string): Promise<unknown[]> {
      const { body } = await listUploads(service.baseUrl, token);
      return (body['uploads'] as Record<string, unknown>[]).map((upload) => upload['sha256']);
    }

    it('is completed by the next HEAD request', async () => {
      const { token, url, hash } = await unlisted(1);
      const answer = await head(url, token);
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([200, '5000']);
      expect(await hashes(token)).toContain(hash);
    });

    it('is completed by a repeated creation', async () => {
      const { token, hash, creation } = await unlisted(2);
      const answer = await create(service.baseUrl, token, creation);
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([201, '5000']);
      expect(await hashes(token)).toContain(hash);
    });
  });
});
