import type { Audit } from '../../identity/index.js';
import type { AuditAction } from '../../kernel/log.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import type { FeedbackChange, RecordChange } from '../../library/index.js';
import { linkForLog, type Share } from './share.js';

/** How many events an hour the feedback of one address, and that through one link, can have. */
const MAX_OF_ADDRESS = 300;
const MAX_OF_LINK = 1000;

const HOUR_SECONDS = 3600;

const ACTIONS: Readonly<
  Record<'added' | 'withdrawn', Readonly<Record<FeedbackChange['kind'], AuditAction>>>
> = {
  added: {
    approval: 'feedback_approved',
    favourite: 'feedback_favourite_added',
    comment: 'feedback_comment_created',
  },
  withdrawn: {
    approval: 'feedback_approval_withdrawn',
    favourite: 'feedback_favourite_removed',
    comment: 'feedback_comment_deleted',
  },
};

/** What an event has about a change. */
function changeForEvent({ id, kind, photoId, guest, version, sha256 }: FeedbackChange): {
  readonly photo: string;
  readonly details: {
    readonly name: string;
    readonly guest: string;
    readonly version: number;
    readonly sha256: string;
    readonly comment?: string;
  };
} {
  const details = { name: guest.name, guest: guest.id, version, sha256 };
  return { photo: photoId, details: kind === 'comment' ? { ...details, comment: id } : details };
}

/**
 * The events of what guests do. A stranger cannot fill the activity or a webhook: over a limit, changes have no events,
 * and one event an hour says so.
 */
export class FeedbackEvents {
  constructor(private readonly deps: { readonly audit: Audit; readonly limit: RateLimiter }) {}

  /**
   * Counts an event before its change is made.
   * @returns what records it in the transaction of the change
   */
  async prepare(
    share: Share,
    address: string,
    happens: 'added' | 'withdrawn',
  ): Promise<RecordChange> {
    const { audit, limit } = this.deps;
    const rule = (name: string, about: readonly string[], max: number) => ({
      key: [name, share.id, ...about] as const,
      max,
      windowSeconds: HOUR_SECONDS,
    });
    const counted = await limit.consume([
      rule('feedback events of address', [address], MAX_OF_ADDRESS),
      rule('feedback events', [], MAX_OF_LINK),
    ]);
    const link = linkForLog({ ...share, workspaceId: share.workspace.id });
    if (!('waitSeconds' in counted)) {
      return (transaction, change) =>
        audit(
          undefined,
          ACTIONS[happens][change.kind],
          { ...link, ...changeForEvent(change) },
          transaction,
        );
    }
    const isFirst = !('waitSeconds' in (await limit.consume([rule('feedback left out', [], 1)])));
    return async (transaction) => {
      if (isFirst) {
        await audit(undefined, 'feedback_left_out', link, transaction);
      }
    };
  }
}
