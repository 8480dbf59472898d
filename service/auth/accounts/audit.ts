import type { ServerResponse } from 'node:http';
import type { AuditAction, Log, LogLine } from '../../platform/log.js';

/** Logs actions on users and links, with ids only, never a name or a secret. */
export type Audit = (
  response: ServerResponse | undefined,
  action: AuditAction,
  about: Pick<
    LogLine,
    'by' | 'user' | 'workspace' | 'role' | 'invitation' | 'link' | 'photo' | 'photos' | 'project'
  >,
) => Promise<void>;

/**
 * Writes the notes to a log. Each line carries the id of the request that `response` answers; none without a request.
 * @param log where the lines go.
 */
export function auditInto(log: Log): Audit {
  return (response, action, about) => {
    log({
      time: new Date().toISOString(),
      level: 'info',
      event: 'audit',
      ...(response && { requestId: String(response.getHeader('X-Request-Id') ?? '') }),
      action,
      ...about,
    });
    return Promise.resolve();
  };
}
