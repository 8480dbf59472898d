import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../../../service/kernel/database/database.js';
import { migrate, compareSchema } from '../../../../service/kernel/database/migrate.js';
import { openMigratedDatabase, openTestDatabase } from '../../support/database-templates.js';

const MIGRATIONS = new URL('../../../../service/migrations/', import.meta.url);

describe('the migrations of the service', () => {
  it('begin with the first one and leave none missing', async () => {
    const empty = await openTestDatabase();
    expect((await compareSchema(empty)).missing[0]).toBe('0001_initial.sql');
    await empty.close();
    const migrated = await openMigratedDatabase();
    expect(await compareSchema(migrated)).toEqual({ missing: [], newer: undefined });
    await migrated.close();
  });

  it('give earlier answers the workspace of their photo, also those that an earlier version adds', async () => {
    const database = await databaseBefore('0038');
    for (const place of ['north', 'south']) {
      await database.query(`INSERT INTO workspaces (id, name) VALUES ($1, $1)`, [place]);
      await database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at)
         VALUES ('photo-' || $1, 'mia', $1, 1, 'a.jpg', 'image/jpeg', '{}', now())`,
        [place],
      );
    }
    const answer = (id: string, place: string): Promise<unknown> =>
      database.query(
        `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
         VALUES ($1, $2, 'favourite', 'noor', 'Noor', $2, 1, '', now())`,
        [id, `photo-${place}`],
      );
    await answer('1', 'north');
    await answer('2', 'south');

    await migrate(database);
    await answer('3', 'south');

    expect(await database.query('SELECT id, workspace_id FROM share_answers ORDER BY id')).toEqual([
      { id: '1', workspace_id: 'north' },
      { id: '2', workspace_id: 'south' },
      { id: '3', workspace_id: 'south' },
    ]);
    await database.close();
  });

  it('let earlier photos be found without accents, as later ones', async () => {
    const database = await databaseBefore('0039');
    await database.query(`INSERT INTO workspaces (id, name) VALUES ('north', 'North')`);
    const add = (id: string, name: string): Promise<unknown> =>
      database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
         VALUES ($1, 'mia', 'north', 1, $2, '', '{}', now(), now(), '-')`,
        [id, name],
      );
    await add('1', 'CAF\u00C9.jpg');
    await add('2', 'Harbour.jpg');

    await migrate(database);
    await add('3', 'CAFE\u0301.jpg');
    await add('4', '\uFF24\uFF33\uFF23 \u30AC\u30AB.jpg');

    expect(await database.query('SELECT id, search_text FROM uploads ORDER BY id')).toEqual([
      { id: '1', search_text: 'cafe.jpg' },
      { id: '2', search_text: 'harbour.jpg' },
      { id: '3', search_text: 'cafe.jpg' },
      // The mark of voicing stays, because ga is another letter than ka.
      { id: '4', search_text: 'dsc \u30AB\u3099\u30AB.jpg' },
    ]);
    await database.close();
  });
});

/** A database with one account, before this migration. */
async function databaseBefore(first: string): Promise<Database> {
  const database = await openTestDatabase();
  const earlier = await mkdtemp(path.join(tmpdir(), 'earlier-'));
  for (const name of await readdir(MIGRATIONS)) {
    if (name < first) await copyFile(new URL(name, MIGRATIONS), path.join(earlier, name));
  }
  await migrate(database, pathToFileURL(`${earlier}/`));
  await rm(earlier, { recursive: true });
  await database.query(
    `INSERT INTO accounts (id, username, display_name, password_hash) VALUES ('mia', 'mia', 'Mia', '-')`,
  );
  return database;
}

describe('migrating', () => {
  let database: Database;
  let folder: string;

  beforeEach(async () => {
    database = await openMigratedDatabase();
    folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
    await add('9001_pages.sql', 'CREATE TABLE pages (id text);');
    await add('9002_titles.sql', "ALTER TABLE pages ADD title text DEFAULT 'none';");
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const add = (name: string, sql: string): Promise<void> => writeFile(path.join(folder, name), sql);
  const place = (): URL => pathToFileURL(`${folder}/`);
  const missing = async (): Promise<readonly string[]> =>
    (await compareSchema(database, place())).missing;

  it('applies missing migrations once, in order, and ignores other files', async () => {
    await add('notes.sql', 'no SQL');
    expect(await missing()).toEqual(['9001_pages.sql', '9002_titles.sql']);
    await migrate(database, place());
    expect(await missing()).toEqual([]);
    await database.query("INSERT INTO pages (id) VALUES ('one')");

    await add('9003_lengths.sql', 'ALTER TABLE pages ADD length integer DEFAULT 3;');
    expect(await missing()).toEqual(['9003_lengths.sql']);
    await migrate(database, place());
    await migrate(database, place());

    expect(await database.query('SELECT * FROM pages')).toEqual([
      { id: 'one', title: 'none', length: 3 },
    ]);
    const applied = await database.query<{ name: string }>(
      "SELECT name FROM schema_migrations WHERE name > '9' ORDER BY name",
    );
    expect(applied.map(({ name }) => name)).toEqual([
      '9001_pages.sql',
      '9002_titles.sql',
      '9003_lengths.sql',
    ]);
  });

  it('refuses a database that a later version has migrated, and changes nothing', async () => {
    await migrate(database, place());
    await rm(path.join(folder, '9002_titles.sql'));
    await add('9001_words.sql', 'CREATE TABLE words (id text);');

    await expect(migrate(database, place())).rejects.toMatchObject({ code: 'database_too_new' });

    expect((await compareSchema(database, place())).newer).toBe('9002_titles.sql');
    await expect(database.query('SELECT * FROM words')).rejects.toThrow('words');
  });

  it('applies none when one of them fails', async () => {
    await add('9003_wrong.sql', 'ALTER TABLE nowhere ADD length integer;');

    await expect(migrate(database, place())).rejects.toThrow('nowhere');

    expect(await missing()).toHaveLength(3);
    await expect(database.query('SELECT * FROM pages')).rejects.toThrow('pages');
  });
});
