import { describe, expect, it } from '@jest/globals';
import { RateLimiter } from '../../../../service/kernel/rate-limit/rate-limiter.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

describe('a client that exceeds a limit repeatedly', () => {
  it('is refused from memory for two seconds, then checked again', async () => {
    const opened = await openMigratedDatabase();
    let statements = 0;
    const counting: Database = {
      ...opened,
      query: (sql, params) => {
        statements += 1;
        return opened.query(sql, params);
      },
      transaction: (work) => {
        statements += 1;
        return opened.transaction(work);
      },
    };
    let clock = Date.parse('2026-01-01T00:00:00Z');
    const limit = new RateLimiter(counting, () => new Date(clock));
    const rules = [{ key: ['test', 'somebody'] as const, max: 1 }];
    expect(await limit.consume(rules)).toHaveProperty('counted');
    expect(await limit.consume(rules)).toEqual({ waitSeconds: 900 });

    statements = 0;
    clock += 1000;
    for (let turn = 0; turn < 100; turn += 1) {
      expect(await limit.consume(rules)).toEqual({ waitSeconds: 899 });
    }
    expect(statements).toBe(0);
    // Other clients are not refused.
    expect(await limit.consume([{ key: ['test', 'another'], max: 1 }])).toHaveProperty('counted');

    // A refund by another process is seen.
    await opened.query('DELETE FROM attempts');
    clock += 1000;
    expect(await limit.consume(rules)).toHaveProperty('counted');
    await opened.close();
  });
});
