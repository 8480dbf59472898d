import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../../../service/platform/database/database.js';
import { migrate, missingMigrations } from '../../../../service/platform/database/migrate.js';
import { openMigratedDatabase, openTestDatabase } from '../../support/database-templates.js';

describe('the migrations of the service', () => {
  it('begin with the first one and leave none missing', async () => {
    const empty = await openTestDatabase();
    expect((await missingMigrations(empty))[0]).toBe('0001_initial.sql');
    await empty.close();
    const migrated = await openMigratedDatabase();
    expect(await missingMigrations(migrated)).toEqual([]);
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

  it('applies missing migrations once, in order, and ignores other files', async () => {
    await add('notes.sql', 'no SQL');
    expect(await missingMigrations(database, place())).toEqual([
      '9001_pages.sql',
      '9002_titles.sql',
    ]);
    await migrate(database, place());
    expect(await missingMigrations(database, place())).toEqual([]);
    await database.query("INSERT INTO pages (id) VALUES ('one')");

    await add('9003_lengths.sql', 'ALTER TABLE pages ADD length integer DEFAULT 3;');
    expect(await missingMigrations(database, place())).toEqual(['9003_lengths.sql']);
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

  it('applies none when one of them fails', async () => {
    await add('9003_wrong.sql', 'ALTER TABLE nowhere ADD length integer;');

    await expect(migrate(database, place())).rejects.toThrow('nowhere');

    expect(await missingMigrations(database, place())).toHaveLength(3);
    await expect(database.query('SELECT * FROM pages')).rejects.toThrow('pages');
  });
});
