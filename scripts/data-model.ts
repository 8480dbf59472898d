import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expiringRows, modules } from '../service/app/modules.js';
import { markdownTable } from './markdown-table.js';
import { DAY_MS } from '../service/kernel/module.js';

const SERVICE = join(import.meta.dirname, '../service');

/** A statement on a table in the code of a module. Files beside the folders of `service/` belong to `app`. */
interface Use {
  readonly module: string;
  readonly table: string;
  readonly isChange: boolean;
}

const CHANGE = /\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\s+([a-z_]+)/g;
const READ = /\b(?:FROM|JOIN)\s+([a-z_]+)/g;

/** Every statement of the service on one of its tables. */
export function tableUses(): readonly Use[] {
  const tables = new Set(Object.values(modules()).flatMap((one) => Object.keys(one.tables)));
  return readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('client/'))
    .flatMap((file) => {
      const code = readFileSync(join(SERVICE, file), 'utf8');
      const [folder = ''] = file.includes('/') ? file.split('/') : ['app'];
      const found = (pattern: RegExp, isChange: boolean): Use[] =>
        [...code.matchAll(pattern)]
          .map(([, table = '']) => ({ module: folder, table, isChange }))
          .filter(({ table }) => tables.has(table));
      return [...found(CHANGE, true), ...found(READ, false)];
    });
}

/** The tables that migrations create. */
export function createdTables(): readonly string[] {
  const folder = join(SERVICE, 'migrations');
  return readdirSync(folder).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm),
    ].map(([, table = '']) => table),
  );
}

/** docs/data-model.md: one row for each table. */
export function dataModel(): string {
  const uses = tableUses();
  const rows = Object.entries(modules()).flatMap(([owner, { tables }]) =>
    Object.entries(tables).map(([table, row]) => {
      const readers = new Set(
        uses.filter((use) => use.table === table && use.module !== owner).map((use) => use.module),
      );
      return [`\`${table}\``, owner, row, deletionOf(table), [...readers].sort().join(', ')];
    }),
  );
  return `# Data model

The tables of the database. \`npm run generate\` writes this page from \`module.ts\` of each module.

Only the owner changes a table, with the exceptions in \`test/service/app/modules.test.ts\`. "Deleted" is when the clean-up deletes a row, counted from its end. Other rows end with the row that they belong to, or by a job of their module.

${markdownTable([['Table', 'Owner', 'One row is', 'Deleted', 'Read by'], ...rows])}
`;
}

function deletionOf(table: string): string {
  const times = expiringRows()
    .filter((rows) => rows.table === table)
    .map(({ keptMs }) =>
      keptMs === 0
        ? 'at once'
        : keptMs < DAY_MS
          ? `after ${keptMs / 3_600_000} h`
          : `after ${keptMs / DAY_MS} d`,
    );
  return [...new Set(times)].join(', ');
}
