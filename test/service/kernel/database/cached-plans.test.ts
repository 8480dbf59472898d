import { describe, expect, it } from '@jest/globals';
import { preparedStatements } from '../../../../service/kernel/database/prepared.js';
// Has all statements.
import '../../../../service/app/build-app.js';
import { openMigratedDatabase } from '../../support/database-templates.js';
import { cachedScans } from './plans.js';

describe('the plan of a prepared statement for an empty database', () => {
  // PostgreSQL keeps it while the tables grow, until it collects statistics.
  it('reads no table from end to end', async () => {
    // These run with an index forced, see thumbnail-table.ts.
    const isForced = (sql: string): boolean =>
      /^WITH RECURSIVE step |FOR UPDATE SKIP LOCKED\s+\)\)$/.test(sql);
    const statements = preparedStatements();
    const database = await openMigratedDatabase();
    const scans = new Map([
      ...(await cachedScans(
        database,
        statements.filter((sql) => !isForced(sql)),
      )),
      ...(await cachedScans(database, statements.filter(isForced), [
        'enable_seqscan = off',
        'enable_sort = off',
      ])),
    ]);
    await database.close();

    expect(scans.size).toBeGreaterThan(50);
    // It has the rows that the statement looks for, and no others.
    const isMeant = (name: string): boolean => name === 'thumbnails_without_ffmpeg';
    expect([...scans].filter(([, read]) => !read.every(isMeant))).toEqual([]);
  });
});
