import type { Queryable } from '../../kernel/database/database.js';
import type { EventDeclaration } from '../../kernel/events/event.js';
import type { Audit } from '../../identity/index.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import {
  aboutChange,
  type FeedbackChange,
  type RecordChange,
  FEEDBACK_EVENTS,
} from '../../library/index.js';
import { recordFeedback } from '../digests/index.js';
import { recordDecision } from '../rounds/index.js';
import { linkForLog, type Share } from './share.js';

/** How many events an hour the feedback of one address, and that through one link, can have. */
const MAX_OF_ADDRESS = 300;
const MAX_OF_LINK = 1000;

const HOUR_SECONDS = 3600;

const ACTIONS: Readonly<
  Record<'added' | 'withdrawn', Readonly<Record<FeedbackChange['kind'], EventDeclaration>>>
> = {
  added: {
    approval: FEEDBACK_EVENTS.approved,
    changes: FEEDBACK_EVENTS.changesRequested,
    stars: FEEDBACK_EVENTS.starsSet,
    label: FEEDBACK_EVENTS.labelSet,
    favourite: FEEDBACK_EVENTS.favouriteAdded,
    comment: FEEDBACK_EVENTS.commentCreated,
  },
  withdrawn: {
    approval: FEEDBACK_EVENTS.approvalWithdrawn,
    changes: FEEDBACK_EVENTS.changesWithdrawn,
    stars: FEEDBACK_EVENTS.starsRemoved,
    label: FEEDBACK_EVENTS.labelRemoved,
    favourite: FEEDBACK_EVENTS.favouriteRemoved,
    comment: FEEDBACK_EVENTS.commentDeleted,
  },
};

/** Notes feedback for the mails and the decision of its link. Call it in the transaction of the change. */
export async function recordGuestFeedback(
  transaction: Queryable,
  shareId: string,
  now: Date,
): Promise<void> {
  await recordFeedback(transaction, shareId, now);
  await recordDecision(transaction, shareId, now);
}

export interface FeedbackEventsDeps {
  readonly audit: Audit;
  readonly limit: Pick<RateLimiter, 'consume'>;
  readonly now: () => Date;
}

/**
 * The events of what guests do. A stranger cannot fill the activity or a webhook: over a limit, changes have no events,
 * and one event an hour says so. The mails and the decision of the link have every change.
 */
export class FeedbackEvents {
  constructor(private readonly deps: FeedbackEventsDeps) {}

  /**
   * Counts an event before its change is made.
   * @returns what records it in the transaction of the change
   */
  async prepare(
    share: Share,
    address: string,
    happens: 'added' | 'withdrawn',
  ): Promise<RecordChange> {
    const { audit, limit, now } = this.deps;
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
          { ...link, ids: { ...link.ids, photo: change.photoId }, details: aboutChange(change) },
          transaction,
        );
    }
    const isFirst = !('waitSeconds' in (await limit.consume([rule('feedback left out', [], 1)])));
    return async (transaction) => {
      await recordGuestFeedback(transaction, share.id, now());
      if (isFirst) {
        await audit(undefined, FEEDBACK_EVENTS.leftOut, link, transaction);
      }
    };
  }
}
