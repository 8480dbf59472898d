import type { Queryable, SqlValue } from '../database/database.js';
import type { EventDeclaration, EventKind, NewEvent } from './event.js';

/** An event with the ids of its rows: one for its workspace, or one for the account and each workspace of its user. */
export interface AppendedEvent extends NewEvent {
  readonly rows: readonly { readonly id: string; readonly workspaceId: string | undefined }[];
}

/** Receives an event in the transaction of the change. When it throws, the change is not made. */
export type EventSubscriber = (transaction: Queryable, event: AppendedEvent) => Promise<void>;

/** Stores an event and passes it to the subscribers. Call it in the transaction of the change. */
export type AppendEvent = (transaction: Queryable, event: NewEvent) => Promise<void>;

/**
 * An event without a workspace is stored for the account, and once more for each workspace of its user. So owners keep it when
 * the user leaves, and see none from before the user came.
 * @param workspacesOf the ids of the workspaces of a user
 * @param subscribers are called one after another, in this order
 */
export function eventAppender(
  workspacesOf: (transaction: Queryable, accountId: string) => Promise<readonly string[]>,
  subscribers: readonly EventSubscriber[],
): AppendEvent {
  return async (transaction, event) => {
    const { happenedAt, declaration, workspaceId, accountId, by, about } = event;
    const places =
      workspaceId === undefined
        ? [null, ...(accountId === undefined ? [] : await workspacesOf(transaction, accountId))]
        : [workspaceId];
    const rows = await transaction.query<{ id: string; workspace_id: string | null }>(
      `INSERT INTO audit_events (happened_at, action, workspace_id, account_id, by, about)
       SELECT $1, $2, place, $4, $5, $6 FROM jsonb_array_elements_text($3) AS place
       RETURNING id::text, workspace_id`,
      [
        ...[happenedAt, declaration.action, JSON.stringify(places)],
        ...[accountId ?? null, by ?? null, JSON.stringify(about)],
      ],
    );
    const stored = rows.map((row) => ({ id: row.id, workspaceId: row.workspace_id ?? undefined }));
    for (const receive of subscribers) {
      await receive(transaction, { ...event, rows: stored });
    }
  };
}

/** A stored event. */
export type StoredEvent = NewEvent & { readonly id: string };

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

/**
 * Lists stored events.
 * @param events those of all modules; others are not listed
 */
export async function listEvents(
  database: Queryable,
  events: readonly EventDeclaration[],
  { of, kind, user, before, after, limit }: EventFilter,
): Promise<StoredEvent[]> {
  const params: SqlValue[] = [];
  const parameter = (value: SqlValue): string => `$${params.push(value)}`;
  const actions = (matches: (kind: EventKind) => boolean): string => {
    const found = events.filter((one) => matches(one.kind)).map(({ action }) => action);
    return `ANY (${parameter(`{${found.join(',')}}`)}::text[])`;
  };
  const conditions = [`action = ${actions((one) => kind === undefined || one.name === kind.name)}`];
  if ('workspaceId' in of) {
    conditions.push(`workspace_id = ${parameter(of.workspaceId)}`);
  } else {
    const account = parameter(of.accountId);
    // An event of an account has a copy for each workspace.
    const isOwn = `(workspace_id IS NULL OR NOT action = ${actions(({ audience }) => audience === 'account')})`;
    conditions.push(`(account_id = ${account} OR by = ${account})`, isOwn);
  }
  if (user !== undefined) {
    const account = parameter(user);
    conditions.push(`(account_id = ${account} OR by = ${account})`);
  }
  if (before !== undefined) {
    conditions.push(`id < ${parameter(before)}::bigint`);
  }
  if (after !== undefined) {
    conditions.push(`id > ${parameter(after)}::bigint`);
  }
  const rows = await database.query<{
    id: string;
    happened_at: Date;
    action: string;
    workspace_id: string | null;
    account_id: string | null;
    by: string | null;
    about: NewEvent['about'];
  }>(
    `SELECT id::text, happened_at, action, workspace_id, account_id, by, about FROM audit_events
      WHERE ${conditions.join(' AND ')}
      ORDER BY audit_events.id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${parameter(limit)}`,
    params,
  );
  return rows.flatMap((row) => {
    const declaration = events.find(({ action }) => action === row.action);
    return declaration === undefined
      ? []
      : [
          {
            id: row.id,
            happenedAt: row.happened_at,
            declaration,
            workspaceId: row.workspace_id ?? undefined,
            accountId: row.account_id ?? undefined,
            by: row.by ?? undefined,
            about: row.about,
          },
        ];
  });
}

/** Whether a user has ever acted. */
export async function hasActed(database: Queryable, accountId: string): Promise<boolean> {
  const rows = await database.query('SELECT 1 FROM audit_events WHERE by = $1 LIMIT 1', [
    accountId,
  ]);
  return rows.length > 0;
}

/** Removes a member from the stored events of a workspace that are about something. */
export async function removeFromEvents(
  transaction: Queryable,
  member: string,
  where: {
    readonly workspaceId: string;
    readonly events: readonly EventDeclaration[];
    readonly about: { readonly member: string; readonly values: readonly string[] };
  },
): Promise<void> {
  await transaction.query(
    `UPDATE audit_events SET about = about - $1::text
      WHERE workspace_id = $2 AND about ->> $3 IN (SELECT jsonb_array_elements_text($4::jsonb))
        AND action = ANY ($5::text[])`,
    [
      ...[member, where.workspaceId, where.about.member, JSON.stringify(where.about.values)],
      `{${where.events.map(({ action }) => action).join(',')}}`,
    ],
  );
}
