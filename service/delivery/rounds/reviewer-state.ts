import type {
  Decision,
  FeedbackTable,
  Listed,
  Reviewer,
  GuestAddresses,
} from '../../library/index.js';
import type { DigestTable } from '../digests/index.js';
import type { Round } from './round-table.js';

/** What a reviewer has decided. */
export interface ReviewerState {
  readonly reviewer: Reviewer;
  /** Those that count, and those that the reviewer withdrew. */
  readonly decisions: readonly Listed<Decision>[];
  readonly withdrawn: readonly Listed<Decision>[];
  readonly approvals: number;
  readonly changes: number;
  /** How many decisions are about bytes that the link no longer shows. */
  readonly outdated: number;
  /** How many files the link shows, and about how many of them there is a decision. */
  readonly files: number;
  readonly decided: number;
  /** Files without a decision: those among the first that the link shows, see {@link LinkFiles}. */
  readonly missing: readonly LinkFile[];
  /** Whether there is a decision about every file, or about some of them before the reviewer finished. */
  readonly hasDecided: boolean;
}

/** A file of a link. `id` is that of its current version. */
export interface LinkFile {
  readonly id: string;
  readonly photoId: string;
  readonly name: string;
}

/** The files of a link: how many there are, and the first ones. */
export interface LinkFiles {
  readonly count: number;
  readonly first: readonly LinkFile[];
}

export interface ReviewerStateDeps {
  readonly answers: Pick<FeedbackTable, 'decisionsOf'>;
  readonly digests: Pick<DigestTable, 'finishesOf'>;
  readonly guestAddresses: Pick<GuestAddresses, 'reviewers'>;
}

export async function reviewerStates(
  { answers, digests, guestAddresses }: ReviewerStateDeps,
  { shareId, askedAt }: Pick<Round, 'shareId' | 'askedAt'>,
  files: LinkFiles,
): Promise<ReviewerState[]> {
  const reviewers = await guestAddresses.reviewers(shareId);
  const guests = reviewers.map(({ id }) => id);
  const decisions = await answers.decisionsOf(shareId, guests);
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
    const ids = new Set(counted.map(({ photoId }) => photoId));
    const missing = files.first.filter(({ photoId }) => !ids.has(photoId));
    // A decision about a file that the link no longer shows is none about another one.
    const hasAll = files.first.length >= files.count;
    const decided = hasAll ? files.first.length - missing.length : Math.min(ids.size, files.count);
    return {
      reviewer,
      decisions: counted,
      withdrawn: own.filter(({ withdrawnAt }) => withdrawnAt !== undefined),
      approvals: counted.filter(({ kind }) => kind === 'approval').length,
      changes: counted.filter(({ kind }) => kind === 'changes').length,
      outdated: counted.filter(({ isCurrent }) => !isCurrent).length,
      files: files.count,
      decided,
      missing,
      hasDecided: decided > 0 && (decided >= files.count || hasFinished),
    };
  });
}
