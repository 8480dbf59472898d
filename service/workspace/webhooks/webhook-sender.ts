import { WEBHOOK_EVENTS } from './events.js';
import type { PublicEvent } from '../../kernel/events/event.js';
import type { Audit } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { OutgoingError, outgoingStatus, type OutgoingPolicy } from '../../kernel/http/outgoing.js';
import { WorkQueue, type TakenRow, type WorkQueueDeps } from '../../kernel/jobs/work-queue.js';
import { openSecret } from '../../kernel/secret-box.js';
import { signatureHeaders } from './signature.js';
import {
  GIVE_UP_MS,
  MAX_RETRY_AFTER_MS,
  MIN_PAUSE_MS,
  pausedUntil,
  webhookName,
} from './webhook.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after each failed attempt, in milliseconds; a little more than {@link GIVE_UP_MS} in all. */
export const RETRY_MS: readonly number[] = [
  MIN_PAUSE_MS,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  28 * HOUR,
];

/** The receiver never wants an event again ([Standard Webhooks](https://www.standardwebhooks.com/)). */
const GONE = 410;

/** How long one process has a delivery for itself, in milliseconds; longer than an attempt can take. */
const LEASE_MS = MINUTE;

/** How many deliveries are sent at the same time, in all and to one webhook: a slow receiver delays no other. */
const MAX_AT_ONCE = 40;
const MAX_OF_ONE = 4;

export interface WebhookSenderDeps extends WorkQueueDeps {
  /** Decrypts the secrets of webhooks, see `secretKeys`. */
  readonly key: Uint8Array;
  readonly policy: OutgoingPolicy;
  readonly audit: Audit;
}

interface DueRow extends TakenRow {
  webhook_id: string;
  payload: PublicEvent;
  url: string;
  secret: Uint8Array;
  former_secret: Uint8Array | null;
}

/** The result of an attempt; `failure` if there was no answer. */
interface Result {
  readonly status?: number;
  readonly failure?: string;
  /** How long the receiver wants no request, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** `WorkTable.due`: the due deliveries of webhooks that are on and do not wait, some of each. */
const DUE = `
  SELECT due.id, webhooks.url, webhooks.secret,
         CASE WHEN former_until > $1 THEN former_secret END AS former_secret
    FROM webhooks CROSS JOIN LATERAL (
      SELECT id FROM webhook_deliveries
       WHERE webhook_id = webhooks.id AND due_at <= $1
       ORDER BY due_at LIMIT ${MAX_OF_ONE} FOR UPDATE SKIP LOCKED
    ) AS due
   WHERE webhooks.id IN (SELECT webhook_id FROM webhook_deliveries WHERE due_at IS NOT NULL AND due_at <= $1)
     AND disabled_at IS NULL AND (${pausedUntil('$1')} > $1) IS NOT TRUE
   LIMIT ${MAX_AT_ONCE}`;

/** Sends the deliveries that are due. A receiver may get one twice, with the same id: see {@link WorkQueue}. */
export class WebhookSender {
  private readonly queue: WorkQueue<DueRow>;

  constructor(private readonly deps: WebhookSenderDeps) {
    this.queue = new WorkQueue<DueRow>(
      {
        table: 'webhook_deliveries',
        columns: 'webhook_deliveries.id, webhook_id, payload, attempts, url, secret, former_secret',
        due: DUE,
        batch: MAX_AT_ONCE,
        leaseMs: LEASE_MS,
        retryMs: RETRY_MS,
        keepsRows: true,
      },
      deps,
    );
  }

  /** Sends what is due. @param signal stops it: deliveries in progress are sent again later. */
  run(signal?: AbortSignal): Promise<void> {
    return this.queue.run(async (rows) => {
      const results = await Promise.allSettled(rows.map((one) => this.deliver(one, signal)));
      for (const result of results) {
        if (result.status === 'rejected') {
          throw result.reason;
        }
      }
      return true;
    }, signal);
  }

  private async deliver(row: DueRow, signal: AbortSignal | undefined): Promise<void> {
    const { database, audit, now } = this.deps;
    const { status, failure, retryAfterMs: minWaitMs } = await this.send(row, signal);
    const isDone = status !== undefined && status >= 200 && status < 300;
    if (signal?.aborted === true && !isDone) {
      return;
    }
    const at = now();
    await database.transaction(async (transaction) => {
      const isLast = isDone
        ? await recordSuccess(transaction, row.webhook_id)
        : await recordFailure(transaction, audit, row, {
            at,
            isGone: status === GONE,
            retryAfterMs: minWaitMs,
          });
      await transaction.query(
        'UPDATE webhook_deliveries SET delivered_at = $3, status = $4 WHERE id = $1 AND attempts = $2',
        [row.id, row.attempts, isDone ? at : null, status ?? null],
      );
      await this.queue.end(transaction, [{ row, isDone, failure, minWaitMs, isLast }]);
    });
  }

  private async send(
    { id, url, payload, secret, former_secret: former }: DueRow,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const { key, policy, now } = this.deps;
    const { type, timestamp, data } = payload;
    const body = JSON.stringify({ type, timestamp, data });
    const secrets = former === null ? [secret] : [secret, former];
    const headers = {
      'content-type': 'application/json',
      ...signatureHeaders(
        id,
        body,
        now(),
        secrets.map((one) => openSecret(key, one)),
      ),
    };
    const request = { method: 'POST', headers, body, ...(signal && { signal }) };
    try {
      const { status, headers: answered } = await outgoingStatus(url, request, policy);
      return { status, retryAfterMs: readRetryAfter(answered.get('retry-after'), now()) };
    } catch (error) {
      if (error instanceof OutgoingError) {
        return { failure: error.failure };
      }
      throw error;
    }
  }
}

/**
 * Reads `Retry-After` ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)): seconds, or a date.
 * @returns milliseconds, at most {@link MAX_RETRY_AFTER_MS}; undefined when there is none that can be read
 */
function readRetryAfter(value: string | null, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS);
}

async function recordSuccess(transaction: Queryable, webhookId: string): Promise<false> {
  await transaction.query(
    'UPDATE webhooks SET failing_since = NULL, failed_at = NULL WHERE id = $1 AND failing_since IS NOT NULL',
    [webhookId],
  );
  return false;
}

/**
 * Turns a webhook off when it is gone, or has failed for {@link GIVE_UP_MS}; its deliveries are given up then, and the owners get a
 * notice.
 * @returns whether it is off now.
 */
async function recordFailure(
  transaction: Queryable,
  audit: Audit,
  { webhook_id: webhookId, url }: Pick<DueRow, 'webhook_id' | 'url'>,
  {
    at,
    isGone,
    retryAfterMs,
  }: { readonly at: Date; readonly isGone: boolean; readonly retryAfterMs: number | undefined },
): Promise<boolean> {
  const [active] = await transaction.query<{ ends: boolean; workspace_id: string }>(
    `UPDATE webhooks SET failing_since = LEAST(failing_since, $2), failed_at = $2,
            retry_after = COALESCE($5, retry_after),
            disabled_at = CASE WHEN failing_since < $3 OR $4::boolean THEN $2::timestamptz END
      WHERE id = $1 AND disabled_at IS NULL RETURNING disabled_at IS NOT NULL AS ends, workspace_id`,
    [
      ...[webhookId, at, new Date(at.getTime() - GIVE_UP_MS), isGone],
      retryAfterMs === undefined ? null : new Date(at.getTime() + retryAfterMs),
    ],
  );
  if (active?.ends === true) {
    await transaction.query(
      'UPDATE webhook_deliveries SET due_at = NULL WHERE webhook_id = $1 AND due_at IS NOT NULL',
      [webhookId],
    );
    const { workspace_id: workspace } = active;
    const details = { name: webhookName(url) };
    await audit(undefined, WEBHOOK_EVENTS.turnedOff, { workspace, details }, transaction);
  }
  return active === undefined || active.ends;
}
