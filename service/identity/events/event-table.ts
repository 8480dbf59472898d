import type { Queryable, SqlValue } from '../../kernel/database/database.js';
import type { AuditAction } from '../../kernel/log.js';
import { actionsOf, type EventKind } from './event-types.js';
import type { StoredEvent } from './record-event.js';

/** Which events to list. Newest first, unless `after` is set. */
export interface EventFilter {
  /** Those of a workspace, or those of an account in any workspace. */
  readonly of: { readonly workspaceId: string } | { readonly accountId: string };
  readonly kind?: EventKind | undefined;
  /** The id of the account that acted or was affected. */
  readonly user?: string | undefined;
  /** Only events that are older or newer than the one with this id. With `after`, the oldest come first. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

interface EventRow {
  id: string;
  happened_at: Date;
  action: AuditAction;
  workspace_id: string | null;
  account_id: string | null;
  username: string | null;
  display_name: string | null;
  by: string | null;
  by_username: string | null;
  by_display_name: string | null;
  about: StoredEvent['about'];
}

/** Lists stored events. */
export async function listEvents(
  database: Queryable,
  { of, kind, user, before, after, limit }: EventFilter,
): Promise<StoredEvent[]> {
  const params: SqlValue[] = [];
  const parameter = (value: SqlValue): string => `$${params.push(value)}`;
  const conditions: string[] = [];
  if ('workspaceId' in of) {
    conditions.push(`workspace_id = ${parameter(of.workspaceId)}`);
  } else {
    const account = parameter(of.accountId);
    // An event of an account has a copy for each workspace.
    const isOwn = `(workspace_id IS NULL OR action NOT IN (${actionsOf('account').map(parameter).join(', ')}))`;
    conditions.push(`(account_id = ${account} OR by = ${account})`, isOwn);
  }
  if (kind !== undefined) {
    conditions.push(`action IN (${actionsOf(kind).map(parameter).join(', ')})`);
  }
  if (user !== undefined) {
    const account = parameter(user);
    conditions.push(`(account_id = ${account} OR by = ${account})`);
  }
  if (before !== undefined) {
    conditions.push(`audit_events.id < ${parameter(before)}::bigint`);
  }
  if (after !== undefined) {
    conditions.push(`audit_events.id > ${parameter(after)}::bigint`);
  }
  const rows = await database.query<EventRow>(
    `SELECT audit_events.id::text, happened_at, action, workspace_id, account_id, users.username, users.display_name,
            by, actors.username AS by_username, actors.display_name AS by_display_name, about
       FROM audit_events
       LEFT JOIN accounts AS users ON users.id = account_id
       LEFT JOIN accounts AS actors ON actors.id = by
      WHERE ${conditions.join(' AND ')}
      ORDER BY audit_events.id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${parameter(limit)}`,
    params,
  );
  return rows.map((row) => ({
    id: row.id,
    happenedAt: row.happened_at,
    action: row.action,
    workspaceId: row.workspace_id ?? undefined,
    user: userOf(row.account_id, row.username, row.display_name),
    by: userOf(row.by, row.by_username, row.by_display_name),
    about: row.about,
  }));
}

function userOf(
  id: string | null,
  username: string | null,
  name: string | null,
): StoredEvent['user'] {
  return id === null
    ? undefined
    : { id, ...(username !== null && name !== null && { username, name }) };
}
