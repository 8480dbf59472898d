import type { Database, Queryable, SqlValue } from '../../../service/database/database.js';

/** A node of a plan, as PostgreSQL explains it in JSON. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** A statement, with the tables that the planner chose to read from end to end. */
export interface Planned {
  readonly sql: string;
  readonly scanned: readonly string[];
}

/** Asks the planner how it would run one statement. */
export async function planOf(
  database: Queryable,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<Planned> {
  const [row] = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) ${sql}`,
    params,
  );
  const nodes = (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => allNodes(Plan));
  const scanned = nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '');
  return { sql: sql.replace(/\s+/g, ' ').trim(), scanned };
}

/** A database that asks for the plan of each statement before it runs it. Transactions are not watched. */
export function planning(database: Database, planned: Planned[]): Database {
  return {
    ...database,
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) => {
      if (/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)/.test(sql)) {
        planned.push(await planOf(database, sql, params));
      }
      return database.query<Row>(sql, params);
    },
  };
}

function allNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allNodes)];
}
