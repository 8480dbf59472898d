import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { wantedRows } from '../../bench/options.js';

const ROOT = join(import.meta.dirname, '../..');
const ROWS = ['PostgreSQL, token refresh', 'PostgreSQL, small photo'];

describe('the rows of a benchmark', () => {
  it.each([
    [undefined, ROWS],
    ['small', ['PostgreSQL, small photo']],
    ['PostgreSQL', ROWS],
  ])('are chosen by a part of their names: %p', (only, expected) => {
    expect([...wantedRows(ROWS, only)]).toEqual(expected);
  });

  it('are listed when none is chosen', () => {
    expect(() => wantedRows(ROWS, 'smal photo')).toThrow(
      'no row contains "smal photo". The rows are:\n  PostgreSQL, token refresh\n  PostgreSQL, small photo',
    );
  });

  it('are checked before the bench builds or starts anything', () => {
    const args = ['--import', 'tsx', 'bench/run.ts', 'service', '--only', 'nothing like this'];
    const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('embedded database, 1 process, small photo\n');
  });
});
