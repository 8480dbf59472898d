import { describe, expect, it } from '@jest/globals';
import { migrate, missingMigrations } from '../../../service/database/migrate.js';
import { openMemoryDatabase } from '../../../service/database/pglite.js';

describe('the migrations that a database lacks', () => {
  it('are all in an empty one, none after the start of a service, and the new ones after an upgrade', async () => {
    const database = await openMemoryDatabase();
    const all = await missingMigrations(database);
    expect(all[0]).toMatch(/^0001_/);

    await migrate(database);

    expect(await missingMigrations(database)).toEqual([]);
    const last = all.at(-1) ?? '';
    await database.query('DELETE FROM schema_migrations WHERE name = $1', [last]);
    expect(await missingMigrations(database)).toEqual([last]);
    await database.close();
  });
});
