import type { ServerResponse } from 'node:http';
import type { Database, Queryable } from '../../kernel/database/database.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';
import type { AuditAction, Log, LogLine } from '../../kernel/log.js';
import { appOf } from '../access/grants.js';
import { recordEvent } from '../events/record-event.js';

/** The ids that an event is about. They are in the log and in the database. */
type AuditIds = Pick<
  LogLine,
  | 'by'
  | 'user'
  | 'workspace'
  | 'role'
  | 'invitation'
  | 'link'
  | 'photo'
  | 'photos'
  | 'project'
  | 'client'
>;

/** What an event is about. */
export interface AuditAbout extends AuditIds {
  /** What the owner is shown in addition, never a secret: names as they were. It is not in the log. */
  readonly details?: AuditDetails;
  /** The grant of the app that made the request, see {@link appOf}. */
  readonly grantId?: string | undefined;
}

/** Descriptions as they were when an event happened. */
export interface AuditDetails {
  /** The name of a computer, of a passkey or of a company account's provider. */
  readonly name?: string;
  /** The app as it described itself, such as "Photoshop 27.1", and its operating system. */
  readonly app?: string;
  readonly os?: string;
  /** How a user signed in. */
  readonly method?:
    | 'password'
    | 'password_and_code'
    | 'password_and_recovery_code'
    | 'passkey'
    | 'company';
  /** The setting that was changed, and its new value. */
  readonly setting?: string;
  readonly value?: string;
  /** The id of a guest of a link, whose name is `name`, and what the feedback is about. */
  readonly guest?: string;
  readonly version?: number;
  /** Of the version, in lower-case hex. */
  readonly sha256?: string;
  /** The id of a comment. */
  readonly comment?: string;
}

/**
 * Records what happened to an account or a workspace. Without `workspace` the event belongs to the account of `user`,
 * and each workspace of that user gets it, too.
 * @param response the response to the request that caused it; undefined for a job.
 * @param within the transaction of the change, so that both are stored or neither. Default: a transaction of the event
 *   alone.
 * @throws {UnavailableError} when the database is away.
 */
export type Audit = (
  response: ServerResponse | undefined,
  action: AuditAction,
  about: AuditAbout,
  within?: Queryable,
) => Promise<void>;

export interface AuditDeps {
  readonly log: Log;
  readonly database: Database;
  readonly addressOf: ClientAddress;
  readonly now: () => Date;
}

/** Guests are strangers to the owner: nothing about their computers is kept. */
const GUEST_ACTIONS: ReadonlySet<AuditAction> = new Set([
  'link_opened',
  'link_password_refused',
  'feedback_approved',
  'feedback_approval_withdrawn',
  'feedback_favourite_added',
  'feedback_favourite_removed',
  'feedback_comment_created',
  'feedback_left_out',
]);

const MAX_USER_AGENT = 256;

/**
 * Writes events to the log and to the database. Each line of the log carries the id of the request that `response`
 * answers; none without a request. It has ids only, never a name.
 */
export function auditInto({ log, database, addressOf, now }: AuditDeps): Audit {
  return async (response, action, { details, grantId, ...ids }, within) => {
    const { by, user, workspace, ...about } = ids;
    const isGuest =
      GUEST_ACTIONS.has(action) || (action === 'feedback_comment_deleted' && by === undefined);
    const request = isGuest ? undefined : response?.req;
    const event = {
      happenedAt: now(),
      action,
      workspaceId: workspace,
      accountId: user ?? by,
      by,
      about: {
        ...about,
        ...details,
        ...(request && {
          network: addressOf(request),
          userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
        }),
      },
    };
    const record = async (transaction: Queryable): Promise<void> => {
      const app = grantId === undefined ? {} : await appOf(transaction, grantId);
      await recordEvent(transaction, { ...event, about: { ...app, ...event.about } });
    };
    await (within === undefined ? database.transaction(record) : record(within));
    log({
      time: new Date().toISOString(),
      level: 'info',
      event: 'audit',
      ...(response && { requestId: String(response.getHeader('X-Request-Id') ?? '') }),
      action,
      ...ids,
    });
  };
}
