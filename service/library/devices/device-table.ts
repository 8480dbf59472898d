import type { Database, Queryable } from '../../kernel/database/database.js';

/** Whether photos are being sent, or why not: the user has paused, or something needs the user. */
export const QUEUE_STATES = ['uploading', 'paused', 'blocked'] as const;

/** What an app reports about the photos on one computer that have not arrived. */
export interface QueueReport {
  /** Random, chosen by the app. */
  readonly deviceId: string;
  readonly deviceName: string;
  readonly waiting: number;
  readonly waitingSince: Date | undefined;
  readonly state: (typeof QUEUE_STATES)[number];
  /** A stable code of the app, for support. */
  readonly reason: string | undefined;
}

/** A report as it was stored, with its user. */
export interface StoredReport extends QueueReport {
  readonly accountId: string;
  readonly reportedAt: Date;
}

/** Whose reports they are. */
export interface Reporter {
  readonly workspaceId: string;
  readonly accountId: string;
  readonly clientId: string;
}

/** How many computers of one user are kept in a workspace: those that reported last. */
export const MAX_DEVICES = 20;

/** How long a report is kept, in milliseconds. */
const KEEP_MS = 90 * 24 * 3_600_000;

interface ReportRow {
  account_id: string;
  device_id: string;
  device_name: string;
  waiting: number;
  waiting_since: Date | null;
  state: QueueReport['state'];
  reason: string | null;
  reported_at: Date;
}

/** The last report of each computer. */
export class DeviceTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Stores a report in place of the earlier one of the same computer. A name that the user gave the computer counts, as the
   * app may not have it yet. Nothing is stored without a membership.
   */
  async report(reporter: Reporter, report: QueueReport): Promise<void> {
    const { workspaceId, accountId, clientId } = reporter;
    const now = this.now();
    await this.database.query(
      `INSERT INTO device_queues (workspace_id, account_id, client_id, device_id, device_name, waiting, waiting_since,
                                  state, reason, reported_at, expires_at)
       SELECT workspace_id, account_id, $3, $4,
              COALESCE((SELECT device_name FROM consents
                         WHERE account_id = $2 AND workspace_id = $1 AND client_id = $3 AND device_id = $4
                           AND device_renamed LIMIT 1), $5),
              $6, $7, $8, $9, $10, $11 FROM workspace_members
        WHERE workspace_id = $1 AND account_id = $2
       ON CONFLICT (workspace_id, account_id, client_id, device_id) DO UPDATE
         SET device_name = excluded.device_name, waiting = excluded.waiting, waiting_since = excluded.waiting_since,
             state = excluded.state, reason = excluded.reason, reported_at = excluded.reported_at,
             expires_at = excluded.expires_at`,
      [
        ...[workspaceId, accountId, clientId, report.deviceId, report.deviceName, report.waiting],
        ...[report.waitingSince ?? null, report.state, report.reason ?? null, now],
        new Date(now.getTime() + KEEP_MS),
      ],
    );
    await this.database.query(
      `DELETE FROM device_queues WHERE (workspace_id, account_id, client_id, device_id) IN (
         SELECT workspace_id, account_id, client_id, device_id FROM device_queues
          WHERE workspace_id = $1 AND account_id = $2
          ORDER BY reported_at DESC, device_id OFFSET ${MAX_DEVICES})`,
      [workspaceId, accountId],
    );
  }

  /** Gives a computer another name in its last report. Call it in the transaction that renames its connection. */
  async rename(
    transaction: Queryable,
    { workspaceId, accountId, clientId }: Reporter,
    deviceId: string,
    deviceName: string,
  ): Promise<void> {
    await transaction.query(
      `UPDATE device_queues SET device_name = $5
        WHERE workspace_id = $1 AND account_id = $2 AND client_id = $3 AND device_id = $4`,
      [workspaceId, accountId, clientId, deviceId, deviceName],
    );
  }

  /** The computers in a workspace on which photos wait; `accountId`: of one user only. Those that wait longest come first. */
  async waiting(workspaceId: string, accountId?: string): Promise<StoredReport[]> {
    const rows = await this.database.query<ReportRow>(
      `SELECT account_id, device_id, device_name, waiting, waiting_since, state, reason, reported_at
         FROM device_queues
        WHERE workspace_id = $1 AND ($2::text IS NULL OR account_id = $2) AND waiting > 0 AND expires_at > $3
        ORDER BY waiting_since, device_id`,
      [workspaceId, accountId ?? null, this.now()],
    );
    return rows.map((row) => ({
      accountId: row.account_id,
      deviceId: row.device_id,
      deviceName: row.device_name,
      waiting: row.waiting,
      waitingSince: row.waiting_since ?? undefined,
      state: row.state,
      reason: row.reason ?? undefined,
      reportedAt: row.reported_at,
    }));
  }
}
