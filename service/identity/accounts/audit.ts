import type { ServerResponse } from 'node:http';
import type { Database, Queryable } from '../../kernel/database/database.js';
import type { EventAbout, EventDeclaration } from '../../kernel/events/event.js';
import type { AppendEvent } from '../../kernel/events/event-log.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';
import type { Log } from '../../kernel/log.js';
import { appOf } from '../access/grants.js';

/** What an event is about. */
export interface AuditAbout {
  /** The id of the account that acted. */
  readonly by?: string;
  /** The id of the affected account; default: the one that acted. */
  readonly user?: string;
  readonly workspace?: string;
  /** Ids, roles and numbers. They are also in the log, so that none may be a name. */
  readonly ids?: EventAbout;
  /** What the owner is shown in addition: descriptions as they were. They are not in the log. */
  readonly details?: EventAbout;
  /** The grant of the app that made the request, see {@link appOf}. */
  readonly grantId?: string | undefined;
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
  event: EventDeclaration,
  about: AuditAbout,
  within?: Queryable,
) => Promise<void>;

export interface AuditDeps {
  readonly log: Log;
  readonly database: Database;
  readonly append: AppendEvent;
  readonly addressOf: ClientAddress;
  readonly now: () => Date;
}

const MAX_USER_AGENT = 256;

/**
 * Writes events to the log and to the database. Each line of the log carries the id of the request that `response`
 * answers; none without a request. It has ids only, never a name.
 */
export function auditInto({ log, database, append, addressOf, now }: AuditDeps): Audit {
  return async (response, declaration, { by, user, workspace, ids, details, grantId }, within) => {
    const accountId = user ?? by;
    // Guests are strangers to the owner: nothing about their computers is kept.
    const request = accountId === undefined ? undefined : response?.req;
    const happenedAt = now();
    const record = async (transaction: Queryable): Promise<void> => {
      const app = grantId === undefined ? {} : await appOf(transaction, grantId);
      const about = {
        ...app,
        ...ids,
        ...details,
        ...(request && {
          network: addressOf(request),
          userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
        }),
      };
      const event = { happenedAt, declaration, workspaceId: workspace, accountId, by, about };
      await append(transaction, event);
    };
    await (within === undefined ? database.transaction(record) : record(within));
    log({
      time: new Date().toISOString(),
      level: 'info',
      event: 'audit',
      ...(response && { requestId: String(response.getHeader('X-Request-Id') ?? '') }),
      action: declaration.action,
      ...(by !== undefined && { by }),
      ...(user !== undefined && { user }),
      ...(workspace !== undefined && { workspace }),
      ...ids,
    });
  };
}
