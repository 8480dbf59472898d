import type {
  Database,
  Queryable,
  SqlValue,
} from '../../../../service/kernel/database/database.js';

/** A node of a plan, as PostgreSQL explains it in JSON; counts are present if the statement was run. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
}

/** A statement with its plan and cost. */
export interface Planned {
  readonly sql: string;
  /** The tables that the planner chose to read from end to end. */
  readonly scanned: readonly string[];
  /** The number of rows read, for read-only statements, which are run for it. */
  readonly rowsRead: number;
}

/** Returns the plan of a statement. A read-only statement is also run to count its rows. */
export async function planOf(
  database: Queryable,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<Planned> {
  const onlyReads =
    /^\s*(SELECT|WITH RECURSIVE)\b/.test(sql) &&
    !/\b(FOR UPDATE|lock_workspace_usage|end_grant|pg_advisory)/.test(sql);
  const [row] = await database.query<Explained>(
    `EXPLAIN (${onlyReads ? 'ANALYZE, TIMING OFF, ' : ''}FORMAT JSON) ${sql}`,
    params,
  );
  const nodes = (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => allNodes(Plan));
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
  return {
    sql: sql.replace(/\s+/g, ' ').trim(),
    scanned: scans
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'] ?? ''),
    rowsRead: scans.reduce((sum, node) => sum + rowsOf(node), 0),
  };
}

/**
 * Caches plans for the tables as they are, as PostgreSQL does for prepared statements, and returns what each statement reads from end to
 * end: the names of tables, and of indexes that it has no condition for.
 */
export async function cachedScans(
  database: Database,
  statements: readonly string[],
  settings: readonly string[] = [],
): Promise<ReadonlyMap<string, readonly string[]>> {
  return database.transaction(async (transaction) => {
    for (const setting of ['plan_cache_mode = force_generic_plan', ...settings]) {
      await transaction.query(`SET LOCAL ${setting}`);
    }
    const found = new Map<string, readonly string[]>();
    for (const sql of statements) {
      const count = Math.max(0, ...Array.from(sql.matchAll(/\$(\d+)/g), ([, n]) => Number(n)));
      const values = count === 0 ? '' : `(${Array<string>(count).fill('NULL').join()})`;
      await transaction.query(`PREPARE cached AS ${sql}`);
      const [row] = await transaction.query<Explained>(
        `EXPLAIN (FORMAT JSON) EXECUTE cached${values}`,
      );
      await transaction.query('DEALLOCATE cached');
      const nodes = (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => allNodes(Plan));
      found.set(
        sql,
        nodes.filter(readsAll).map((node) => node['Index Name'] ?? node['Relation Name'] ?? ''),
      );
    }
    return found;
  });
}

function readsAll(node: PlanNode): boolean {
  const isByIndex = /Index (?:Only )?Scan$/.test(node['Node Type']);
  return node['Node Type'] === 'Seq Scan' || (isByIndex && node['Index Cond'] === undefined);
}

/** A database that records the plan of each statement before it runs it, within the same transaction. */
export function planning(database: Database, planned: Planned[]): Database {
  const watch = (target: Queryable): Queryable => ({
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) => {
      if (/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)/.test(sql)) {
        planned.push(await planOf(target, sql, params));
      }
      return target.query<Row>(sql, params);
    },
  });
  return {
    ...database,
    ...watch(database),
    transaction: (work, options) =>
      database.transaction(
        (transaction) =>
          work({ ...watch(transaction), execute: (script) => transaction.execute(script) }),
        options,
      ),
  };
}

/** PostgreSQL gives averages of all loops. */
function rowsOf(node: PlanNode): number {
  const one =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return one * (node['Actual Loops'] ?? 0);
}

function allNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allNodes)];
}

/**
 * Renews the planner's statistics of all tables, as a server does automatically. PostgreSQL's own tables are left out:
 * they take far longer.
 */
export async function analyse(database: Queryable): Promise<void> {
  const tables = await database.query<{ name: string }>(
    'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  await database.query(`ANALYZE ${tables.map(({ name }) => name).join(', ')}`);
}
