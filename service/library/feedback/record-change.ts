import type { Audit, AuditAbout } from '../../identity/index.js';
import type { EventDeclaration } from '../../kernel/events/event.js';
import { aboutChange } from './events.js';
import type { RecordChange } from './feedback.js';

/**
 * Records changes that a user makes to the answers of guests.
 * @param user the user, with the workspace of the photos; `grantId` if an app acts for the user
 */
export function changeRecorder(
  audit: Audit,
  response: Parameters<Audit>[0],
  user: Pick<AuditAbout, 'by' | 'workspace' | 'grantId'>,
): (event: EventDeclaration) => RecordChange {
  return (event) => (transaction, change) =>
    audit(
      response,
      event,
      {
        ...user,
        ids: { photo: change.photoId, link: change.shareId },
        details: aboutChange(change),
      },
      transaction,
    );
}
