import { eventUsers } from '../../identity/index.js';
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { publicEvent, type PublicEvent } from '../../kernel/events/event.js';
import type { AppendedEvent } from '../../kernel/events/event-log.js';

/** Adds a delivery of an event for each webhook that gets it. Call it in the transaction of the change. */
export async function addDeliveriesOfEvent(
  transaction: Queryable,
  { rows, ...event }: AppendedEvent,
): Promise<void> {
  const hooks = await transaction.query<{ id: string; workspace_id: string }>(
    `SELECT id, workspace_id FROM webhooks
      WHERE workspace_id = ANY (${idArray('$1')})
        AND disabled_at IS NULL AND events ? $2`,
    [JSON.stringify(rows.map(({ workspaceId }) => workspaceId)), event.declaration.kind.name],
  );
  if (hooks.length === 0) {
    return;
  }
  const users = await eventUsers(transaction, [event.accountId, event.by]);
  for (const { id, workspaceId } of rows) {
    for (const hook of hooks.filter((one) => one.workspace_id === workspaceId)) {
      await addDelivery(transaction, hook.id, publicEvent({ ...event, id, workspaceId }, users));
    }
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
