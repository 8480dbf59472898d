import type { ServerResponse } from 'node:http';
import type { AuditAction, Log, LogLine } from '../log.js';

/** Notes in the log what was done about people and links; ids only, never a name or a secret. */
export type Audit = (
  response: ServerResponse | undefined,
  action: AuditAction,
  about: Pick<
    LogLine,
    'by' | 'person' | 'workspace' | 'role' | 'invitation' | 'link' | 'photo' | 'project'
  >,
) => void;

/**
 * @param log where the lines go; each carries the id of the request whose answer is `response`, and none where no
 *   request led to it.
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
  };
}
