import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../../../service/kernel/database/database.js';
import { migrate, compareSchema } from '../../../../service/kernel/database/migrate.js';
import { openMigratedDatabase, openTestDatabase } from '../../support/database-templates.js';

describe('the migrations of the service', () => {
  it('begin with the first one and leave none missing', async () => {
    const empty = await openTestDatabase();
    expect((await compareSchema(empty)).missing[0]).toBe('0001_initial.sql');
    await empty.close();
    const migrated = await openMigratedDatabase();
    expect(await compareSchema(migrated)).toEqual({ missing: [], newer: undefined });
    await migrated.close();
  });
});

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
