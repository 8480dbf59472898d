import { randomUUID } from 'node:crypto';
import type { EventKind, PublicEvent } from '../../kernel/events/event.js';
import { lockWorkspace } from '../../identity/index.js';
import type { AlsoInTransaction, Database } from '../../kernel/database/database.js';
import { sealSecret } from '../../kernel/secret-box.js';
import { addDelivery } from './deliveries.js';
import { newWebhookSecret } from './signature.js';
import {
  MAX_WEBHOOKS,
  pausedUntil,
  type Delivery,
  type Webhook,
  type WebhookEntry,
} from './webhook.js';

/** How long the secret before a change still signs, in milliseconds. */
const FORMER_MS = 24 * 3_600_000;

/** How many deliveries the page of a webhook lists. */
const LISTED = 50;

interface WebhookRow {
  id: string;
  workspace_id: string;
  url: string;
  events: string[];
  created_at: Date;
  failing_since: Date | null;
  disabled_at: Date | null;
}

/** Without the secrets. */
const SELECT = `SELECT id, workspace_id, url, events, created_at, failing_since, disabled_at
  FROM webhooks`;

interface DeliveryRow {
  id: string;
  event: Delivery['type'];
  created_at: Date;
  attempts: number;
  due_at: Date | null;
  delivered_at: Date | null;
  status: number | null;
  failure: string | null;
}

/** The webhooks of the workspaces, and the log of their deliveries. */
export class WebhookTable {
  /**
   * @param kinds those that a webhook can get
   * @param key encrypts the secrets, see `secretKeys`
   */
  constructor(
    private readonly database: Database,
    readonly kinds: readonly EventKind[],
    private readonly key: Uint8Array,
    private readonly now: () => Date,
  ) {}

  /** The webhooks of a workspace, oldest first. */
  async of(workspaceId: string): Promise<Webhook[]> {
    const rows = await this.database.query<WebhookRow>(
      `${SELECT} WHERE workspace_id = $1 ORDER BY created_at, id`,
      [workspaceId],
    );
    return rows.map((row) => this.toWebhook(row));
  }

  async find(id: string): Promise<Webhook | undefined> {
    const [row] = await this.database.query<WebhookRow>(`${SELECT} WHERE id = $1`, [id]);
    return row && this.toWebhook(row);
  }

  /**
   * Adds a webhook.
   * @returns its id and its secret, which is shown once; 'full' when the workspace has {@link MAX_WEBHOOKS}.
   */
  create(
    { url, events }: WebhookEntry,
    by: { readonly workspaceId: string; readonly accountId: string },
    also: AlsoInTransaction,
  ): Promise<{ readonly id: string; readonly secret: string } | 'full'> {
    const made = { id: `wh_${randomUUID()}`, secret: newWebhookSecret() };
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, by.workspaceId);
      const before = await transaction.query('SELECT 1 FROM webhooks WHERE workspace_id = $1', [
        by.workspaceId,
      ]);
      if (before.length >= MAX_WEBHOOKS) {
        return 'full';
      }
      await transaction.query(
        `INSERT INTO webhooks (id, workspace_id, url, secret, events, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          made.id,
          by.workspaceId,
          url,
          sealSecret(this.key, made.secret),
          namesOf(events),
          by.accountId,
          this.now(),
        ],
      );
      await also(transaction);
      return made;
    });
  }

  /** Changes a webhook. One that was turned off gets events again. */
  async change(id: string, { url, events }: WebhookEntry, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `UPDATE webhooks SET url = $2, events = $3, disabled_at = NULL, failing_since = NULL, failed_at = NULL, retry_after = NULL
          WHERE id = $1`,
        [id, url, namesOf(events)],
      );
      await also(transaction);
    });
  }

  /** Makes a new secret. The former one also signs for a day, so that the receiver can change over. */
  rotateSecret(id: string, also: AlsoInTransaction): Promise<string> {
    const secret = newWebhookSecret();
    return this.database.transaction(async (transaction) => {
      await transaction.query(
        `UPDATE webhooks SET former_secret = secret, former_until = $3, secret = $2 WHERE id = $1`,
        [id, sealSecret(this.key, secret), new Date(this.now().getTime() + FORMER_MS)],
      );
      await also(transaction);
      return secret;
    });
  }

  /** Deletes a webhook with its deliveries. */
  async remove(id: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('DELETE FROM webhooks WHERE id = $1', [id]);
      await also(transaction);
    });
  }

  /** The newest deliveries to a webhook. */
  async deliveriesOf(webhookId: string): Promise<Delivery[]> {
    const rows = await this.database.query<DeliveryRow>(
      `SELECT one.id, event, one.created_at, attempts, delivered_at, status, failure,
              CASE WHEN due_at IS NOT NULL THEN GREATEST(due_at, ${pausedUntil('$2')}) END AS due_at
         FROM webhook_deliveries AS one JOIN webhooks ON webhooks.id = webhook_id
        WHERE webhook_id = $1 ORDER BY one.created_at DESC, one.id LIMIT ${LISTED}`,
      [webhookId, this.now()],
    );
    return rows.map((row) => ({
      id: row.id,
      type: row.event,
      createdAt: row.created_at,
      attempts: row.attempts,
      dueAt: row.due_at ?? undefined,
      deliveredAt: row.delivered_at ?? undefined,
      status: row.status ?? undefined,
      failure: row.failure ?? undefined,
    }));
  }

  /** Sends an event to one webhook at once, whatever kinds it gets. */
  async send(webhookId: string, event: PublicEvent): Promise<void> {
    await this.endPause(webhookId);
    await addDelivery(this.database, webhookId, event);
  }

  /** Sends a delivery again at once, with the same id. Nothing happens if the webhook has no such delivery. */
  async sendAgain(webhookId: string, deliveryId: string): Promise<void> {
    await this.endPause(webhookId);
    await this.database.query(
      `UPDATE webhook_deliveries SET due_at = $3, attempts = 0, delivered_at = NULL
        WHERE id = $2 AND webhook_id = $1`,
      [webhookId, deliveryId, this.now()],
    );
  }

  private async endPause(webhookId: string): Promise<void> {
    await this.database.query(
      'UPDATE webhooks SET failed_at = NULL, retry_after = NULL WHERE id = $1',
      [webhookId],
    );
  }

  private toWebhook(row: WebhookRow): Webhook {
    return {
      id: row.id,
      workspaceId: row.workspace_id,
      url: row.url,
      events: this.kinds.filter(({ name }) => row.events.includes(name)),
      createdAt: row.created_at,
      failingSince: row.failing_since ?? undefined,
      disabledAt: row.disabled_at ?? undefined,
    };
  }
}

/** Kinds as a row has them. */
function namesOf(kinds: readonly EventKind[]): string {
  return JSON.stringify(kinds.map(({ name }) => name));
}
