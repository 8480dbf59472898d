import type { ServerResponse } from 'node:http';
import type { AuditAction, Log, LogLine } from '../log.js';

/** Notes in the log what somebody did about people; ids only, never a name or a secret. */
export type Audit = (
  response: ServerResponse,
  action: AuditAction,
  about: Pick<LogLine, 'by' | 'person' | 'workspace' | 'role' | 'invitation'>,
) => void;

/** @param log where the lines go; each carries the id of the request whose answer is `response`. */
export function auditInto(log: Log): Audit {
  return (response, action, about) => {
    log({
      time: new Date().toISOString(),
      level: 'info',
      event: 'audit',
      requestId: String(response.getHeader('X-Request-Id') ?? ''),
      action,
      ...about,
    });
  };
}
