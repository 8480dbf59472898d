import type {
  FeedbackTable,
  ListedFeedback,
  Reviewer,
  GuestAddresses,
} from '../../library/index.js';
import type { DigestTable } from '../digests/index.js';
import type { Round } from './round-table.js';

/** What a reviewer has decided. */
export interface ReviewerState {
  readonly reviewer: Reviewer;
  /** Those that count, and those that the reviewer withdrew. */
  readonly decisions: readonly ListedFeedback[];
  readonly withdrawn: readonly ListedFeedback[];
  readonly approvals: number;
  readonly changes: number;
  /** How many decisions are about bytes that the link no longer shows. */
  readonly outdated: number;
  /** Whether there is a decision about every file, or about some of them before the reviewer finished. */
  readonly hasDecided: boolean;
}

export interface ReviewerStateDeps {
  readonly answers: Pick<FeedbackTable, 'decisionsOf'>;
  readonly digests: Pick<DigestTable, 'finishesOf'>;
  readonly guestAddresses: Pick<GuestAddresses, 'reviewers'>;
}

/** @param files how many the link shows */
export async function reviewerStates(
  { answers, digests, guestAddresses }: ReviewerStateDeps,
  { shareId, askedAt }: Pick<Round, 'shareId' | 'askedAt'>,
  files: number,
): Promise<ReviewerState[]> {
  const reviewers = await guestAddresses.reviewers(shareId);
  const ids = reviewers.map(({ id }) => id);
  const decisions = await answers.decisionsOf(shareId, ids);
  const finishes = new Map(
    (await digests.finishesOf(shareId))
      .filter(({ at }) => at >= askedAt)
      .map(({ guest, at }) => [guest.id, at]),
  );
  return reviewers.map((reviewer) => {
    const own = decisions.filter(({ guest }) => guest.id === reviewer.id);
    const counted = own.filter(({ withdrawnAt }) => withdrawnAt === undefined);
    const finishedAt = finishes.get(reviewer.id);
    const hasFinished =
      finishedAt !== undefined && counted.some(({ at: decidedAt }) => decidedAt <= finishedAt);
    const decided = new Set(counted.map(({ photoId }) => photoId)).size;
    return {
      reviewer,
      decisions: counted,
      withdrawn: own.filter(({ withdrawnAt }) => withdrawnAt !== undefined),
      approvals: counted.filter(({ kind }) => kind === 'approval').length,
      changes: counted.filter(({ kind }) => kind === 'changes').length,
      outdated: counted.filter(({ isCurrent }) => !isCurrent).length,
      hasDecided: decided > 0 && (decided >= files || hasFinished),
    };
  });
}
