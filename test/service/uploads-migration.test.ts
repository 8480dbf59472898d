import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../service/database/database.js';
import { checkOptions } from '../../service/options.js';
import { UploadTable } from '../../service/uploads/upload-table.js';
import type { NewUpload } from '../../service/uploads/stored-upload.js';
import { makeEarlier, upgrade } from './earlier-database.js';
import { openTestDatabase } from './kept-databases.js';

const BEFORE = ['0001_initial.sql', '0002_whole_service.sql'];

/** As the version before adds an upload. */
const OLD_INSERT = `INSERT INTO uploads
    (id, account_id, workspace_id, client_upload_id, size, name, type, metadata, created_at, active_at)
  VALUES ($1, $2, 'studio', $3, 10, 'photo', 'image/jpeg', '{}', now(), now())
  ON CONFLICT (account_id, workspace_id, client_upload_id) DO NOTHING
  RETURNING id`;

const { uploads: limits } = checkOptions({ dataDir: 'x' });

describe('the change that binds uploads to apps', () => {
  let database: Database;

  beforeEach(async () => {
    database = await openTestDatabase();
    await makeEarlier(database, BEFORE, async (transaction) => {
      await transaction.execute(`
        INSERT INTO workspaces (id, name) VALUES ('studio', 'Studio');
        INSERT INTO accounts (id, username, display_name, password_hash)
          SELECT who, who, who, '' FROM unnest(ARRAY['one', 'several', 'script', 'nobody']) AS who;
        INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at) VALUES
          ('1', 'one', 'studio', 'desktop', '', now()), ('2', 'one', 'studio', 'desktop', '', now()),
          ('3', 'several', 'studio', 'desktop', '', now()), ('4', 'several', 'studio', 'other', '', now());
        INSERT INTO personal_access_tokens
          (id, token_sha256, account_id, workspace_id, name, scope, created_at, expires_at)
          VALUES ('t', 'x', 'script', 'studio', '', '', now(), now());
      `);
      for (const account of ['one', 'several', 'script', 'nobody']) {
        await transaction.query(OLD_INSERT, [`of-${account}`, account, 'an-id-of-the-client']);
      }
    });
    await upgrade(database);
  });
  afterEach(() => database.close());

  const upload = (id: string, clientId: string, accountId = 'several'): NewUpload => ({
    id,
    accountId,
    workspaceId: 'studio',
    clientId,
    clientUploadId: 'another-id-of-the-client',
    size: 10,
    name: 'photo',
    type: 'image/jpeg',
    metadata: {},
    createdAt: new Date(),
  });

  it('gives those that are there to the one app that their person allowed, else to the plugin', async () => {
    const rows = await database.query(
      'SELECT account_id, client_id FROM uploads ORDER BY account_id',
    );
    expect(rows).toEqual([
      { account_id: 'nobody', client_id: 'creative-workspace-plugin' },
      { account_id: 'one', client_id: 'desktop' },
      { account_id: 'script', client_id: 'personal:token' },
      { account_id: 'several', client_id: 'creative-workspace-plugin' },
    ]);
    const usage = await database.query<{ bytes: number | string }>(
      'SELECT bytes FROM workspace_usage',
    );
    expect(usage.map(({ bytes }) => Number(bytes))).toEqual([4 * (10 + 16_384)]);
  });

  it('lets a process of the version before go on, and both find the one upload of the plugin', async () => {
    const records = new UploadTable(database);
    const plugin = 'creative-workspace-plugin';

    // The new version first, then the old one; and the other way round.
    expect((await records.add(upload('new', plugin), limits)).added).toBe(true);
    expect(
      await database.query(OLD_INSERT, ['again', 'several', 'another-id-of-the-client']),
    ).toEqual([]);
    expect(
      await database.query(OLD_INSERT, ['old', 'nobody', 'another-id-of-the-client']),
    ).toHaveLength(1);
    const { record, added } = await records.add(upload('again', plugin, 'nobody'), limits);
    expect({ id: record.id, added }).toEqual({ id: 'old', added: false });
    // What the old one writes counts as well.
    const usage = await database.query<{ bytes: number | string }>(
      'SELECT bytes FROM workspace_usage',
    );
    expect(usage.map(({ bytes }) => Number(bytes))).toEqual([6 * (10 + 16_384)]);
  });

  it('lets two apps have the same id, at the same time too', async () => {
    const records = new UploadTable(database);
    const apps = ['one-app', 'two-app', 'three-app', 'four-app'];

    const made = await Promise.all(
      [...apps, ...apps].map((app, index) => records.add(upload(`upload-${index}`, app), limits)),
    );

    expect(made.filter(({ added }) => added)).toHaveLength(4);
    expect(new Set(made.map(({ record }) => `${record.clientId} ${record.id}`)).size).toBe(4);
    expect(made.map(({ record }) => record.clientUploadId)).toEqual(
      Array(8).fill('another-id-of-the-client'),
    );
  });
});
