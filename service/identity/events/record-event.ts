import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { AuditAction } from '../../kernel/log.js';
import { addNotice, isNoticed } from '../notices/notices.js';
import { actionsOf, EVENT_TYPES, kindOf, type PublicEvent } from './event-types.js';

/** What happened, before it is stored. */
export interface NewEvent {
  readonly happenedAt: Date;
  readonly action: AuditAction;
  /** Undefined if it happened to an account only. */
  readonly workspaceId: string | undefined;
  /** The id of the affected account; undefined if there is none. */
  readonly accountId: string | undefined;
  /** The id of the account that acted; undefined for guests, jobs and the operator. */
  readonly by: string | undefined;
  readonly about: Readonly<Record<string, string | number | undefined>>;
}

/** A user in an event. */
interface EventUser {
  readonly id: string;
  /** Both are missing for a deleted account. */
  readonly username?: string;
  readonly name?: string;
}

/** A stored event. */
export interface StoredEvent extends Omit<NewEvent, 'accountId' | 'by'> {
  readonly id: string;
  readonly user: EventUser | undefined;
  readonly by: EventUser | undefined;
}

/**
 * Stores an event, the notice that its user gets, and a delivery for each webhook that gets it. Call it in the transaction
 * of the change. An event without a workspace is stored for the account, and once more for each workspace of its user. So
 * owners keep it when the user leaves, and see none from before the user came.
 */
export async function recordEvent(transaction: Queryable, event: NewEvent): Promise<void> {
  const { happenedAt, action, workspaceId, accountId, by, about } = event;
  const type = EVENT_TYPES[action];
  const hooks = await transaction.query<{ id: string; workspace_id: string; webhook_id: string }>(
    `WITH places AS (
       SELECT id FROM workspaces WHERE id = $3
       UNION ALL SELECT workspace_id FROM workspace_members WHERE $3::text IS NULL AND account_id = $4
       UNION ALL SELECT NULL WHERE $3::text IS NULL
     ), made AS (
       INSERT INTO audit_events (happened_at, action, workspace_id, account_id, by, about)
       SELECT $1, $2, places.id, $4, $5, $6 FROM places
       RETURNING id, workspace_id
     )
     SELECT made.id::text, made.workspace_id, webhooks.id AS webhook_id
       FROM made JOIN webhooks ON webhooks.workspace_id = made.workspace_id
      WHERE disabled_at IS NULL AND events ? $7`,
    [
      happenedAt,
      action,
      workspaceId ?? null,
      accountId ?? null,
      by ?? null,
      JSON.stringify(about),
      kindOf(type),
    ],
  );
  if (accountId !== undefined && isNoticed(action)) {
    const { app, name, os } = about;
    await addNotice(transaction, accountId, action, { app, name, os }, happenedAt, workspaceId);
  }
  if (hooks.length === 0) {
    return;
  }
  const users = await usersOf(transaction, [accountId, by]);
  for (const hook of hooks) {
    const stored = {
      ...event,
      id: hook.id,
      workspaceId: hook.workspace_id,
      user: accountId === undefined ? undefined : (users.get(accountId) ?? { id: accountId }),
      by: by === undefined ? undefined : (users.get(by) ?? { id: by }),
    };
    await addDelivery(transaction, hook.webhook_id, publicEvent(stored));
  }
}

/** Adds the delivery of an event to a webhook. It is sent at once. */
export async function addDelivery(
  transaction: Queryable,
  webhookId: string,
  event: PublicEvent,
): Promise<void> {
  await transaction.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event, payload, created_at, due_at)
     VALUES ($1, $2, $3, $4, $5, $5)`,
    [`msg_${randomUUID()}`, webhookId, event.type, JSON.stringify(event), event.timestamp],
  );
}

/** An event as webhooks and exports show it. */
export function publicEvent(event: StoredEvent): PublicEvent {
  const { role, invitation, link, photo, photos, project, client } = event.about;
  const { name, app, os, method, setting, value, network, userAgent } = event.about;
  const { guest, version, sha256, comment } = event.about;
  return {
    type: EVENT_TYPES[event.action],
    timestamp: event.happenedAt.toISOString(),
    data: {
      id: event.id,
      workspace_id: event.workspaceId ?? null,
      user: event.user ?? null,
      by: event.by ?? null,
      network: network ?? null,
      user_agent: userAgent ?? null,
      ...{ role, invitation, link, photo, photos, project, client },
      ...{ name, app, os, method, setting, value },
      ...{ guest, version, sha256, comment },
    },
  };
}

async function usersOf(
  database: Queryable,
  [one, other]: readonly [string | undefined, string | undefined],
): Promise<Map<string, EventUser>> {
  const rows = await database.query<{ id: string; username: string; display_name: string }>(
    'SELECT id, username, display_name FROM accounts WHERE id IN ($1, $2)',
    [one ?? null, other ?? null],
  );
  return new Map(
    rows.map((row) => [row.id, { id: row.id, username: row.username, name: row.display_name }]),
  );
}

/** Removes the name of a guest from the events of a workspace. */
export async function forgetGuestName(
  transaction: Queryable,
  { workspaceId, guest }: { readonly workspaceId: string; readonly guest: string },
): Promise<void> {
  await transaction.query(
    `UPDATE audit_events SET about = about - 'name'
      WHERE workspace_id = $1 AND action IN (${actionsOf('feedback')
        .map((action) => `'${action}'`)
        .join(', ')})
        AND about ->> 'guest' = $2`,
    [workspaceId, guest],
  );
}
