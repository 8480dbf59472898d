import { queueMail, queueUserMail, type Audit } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import type { EventAbout } from '../../kernel/events/event.js';
import type { DigestTable } from '../digests/index.js';
import { DECISION_EVENTS } from './events.js';
import {
  reviewerStates,
  type LinkFiles,
  type ReviewerState,
  type ReviewerStateDeps,
} from './reviewer-state.js';
import { REMINDER_NAME, RESULT_MAIL, type RoundReminder, type RoundResult } from './round-mails.js';
import { lastDayOf, REMIND_BEFORE_MS, type Round, type RoundTable } from './round-table.js';

/** A link that works, as its mails name it. */
export interface RoundLink {
  readonly title: string;
  readonly creatorId: string;
  readonly studio: string;
  /** What its events are about. */
  readonly log: { readonly workspace: string; readonly ids: EventAbout };
  /** Those that it shows; none while it is suspended. */
  readonly files: LinkFiles;
}

export interface SettleRoundsDeps extends ReviewerStateDeps {
  readonly rounds: RoundTable;
  readonly digests: Pick<DigestTable, 'finishesOf' | 'wantsMails'>;
  /** A link that works; undefined for another one. */
  readonly linkOf: (shareId: string) => Promise<RoundLink | undefined>;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** Reminds reviewers, and informs studios of results. */
export async function settleRounds(deps: SettleRoundsDeps, signal?: AbortSignal): Promise<void> {
  let round = await deps.rounds.due();
  while (round !== undefined && signal?.aborted !== true) {
    await settle(deps, round);
    round = await deps.rounds.due();
  }
}

async function settle(deps: SettleRoundsDeps, round: Round): Promise<void> {
  const { rounds, now: clock } = deps;
  const now = clock();
  const { until, remindedAt, closedAt } = round;
  const isOver = until <= now;
  const link = await deps.linkOf(round.shareId);
  if (link === undefined || closedAt !== undefined) {
    // A link that was revoked may work again until the date.
    const dueAt = isOver || closedAt !== undefined ? undefined : until;
    await rounds.settle(round, { isReminded: false, isClosed: false, dueAt }, async () => {});
    return;
  }
  const states = await reviewerStates(deps, round, link.files);
  const isComplete =
    link.files.count > 0 && states.length > 0 && states.every(({ hasDecided }) => hasDecided);
  const remindAt = new Date(until.getTime() - REMIND_BEFORE_MS);
  const isClosed = isComplete || isOver;
  const isReminded = !isClosed && remindedAt === undefined && remindAt <= now;
  const isLater = remindedAt === undefined && !isReminded;
  const dueAt = isClosed ? undefined : isLater ? remindAt : until;
  const wantsMail = await deps.digests.wantsMails(link.creatorId, round.shareId);
  const decided = states.filter(({ hasDecided }) => hasDecided);
  const decidedGuests = decided.map(({ reviewer }) => reviewer.id);
  const settled = { isReminded, isClosed, dueAt, decidedGuests };
  await rounds.settle(round, settled, async (transaction) => {
    await appendEvents(deps, transaction, { round, link, states, isComplete, isClosed });
    if (isClosed && wantsMail && states.length > 0) {
      await queueResult(transaction, { round, link, states, isComplete }, now);
    }
    if (isReminded && link.files.count > 0) {
      await queueReminders(transaction, { round, link, states }, now);
    }
  });
}

interface Settled {
  readonly round: Round;
  readonly link: RoundLink;
  readonly states: readonly ReviewerState[];
}

/** Appends who has decided since the last time, and how the round ended. */
async function appendEvents(
  { audit }: Pick<SettleRoundsDeps, 'audit'>,
  transaction: Queryable,
  {
    round,
    link: { log },
    states,
    isComplete,
    isClosed,
  }: Settled & { readonly isComplete: boolean; readonly isClosed: boolean },
): Promise<void> {
  const decided = states.filter(({ hasDecided }) => hasDecided);
  for (const { reviewer, files, approvals, changes, ...state } of decided) {
    if (!round.decidedGuests.includes(reviewer.id)) {
      const details = {
        ...{ guest: reviewer.id, name: reviewer.name },
        ...{ files, decided: state.decided, approvals, changes },
      };
      await audit(undefined, DECISION_EVENTS.made, { ...log, details }, transaction);
    }
  }
  if (isClosed && states.length > 0) {
    const sum = (count: (state: ReviewerState) => number): number =>
      states.reduce((total, state) => total + count(state), 0);
    const details = isComplete
      ? {
          reviewers: states.length,
          approvals: sum(({ approvals }) => approvals),
          changes: sum(({ changes }) => changes),
        }
      : { reviewers: states.length, decided: decided.length };
    const { completed, expired } = DECISION_EVENTS;
    await audit(undefined, isComplete ? completed : expired, { ...log, details }, transaction);
  }
}

async function queueResult(
  transaction: Queryable,
  { round, link, states, isComplete }: Settled & { readonly isComplete: boolean },
  now: Date,
): Promise<void> {
  const about: RoundResult = {
    ...{ share: round.shareId, account: link.creatorId, title: link.title, isComplete },
    reviewers: states.map(({ reviewer: { name }, approvals, changes, hasDecided, ...state }) => ({
      ...{ name, approvals, changes, hasDecided, files: state.files, decided: state.decided },
    })),
  };
  await queueUserMail(transaction, link.creatorId, RESULT_MAIL, about, now);
}

async function queueReminders(
  transaction: Queryable,
  { round, link, states }: Settled,
  now: Date,
): Promise<void> {
  for (const { reviewer, hasDecided } of states) {
    const { id, email, isReminded, locale } = reviewer;
    if (!hasDecided && isReminded && email !== undefined) {
      const about: RoundReminder = {
        ...{ share: round.shareId, guest: id, title: link.title, studio: link.studio },
        day: lastDayOf(round),
      };
      await queueMail(
        transaction,
        { kind: 'declared', recipient: email, locale, about: { name: REMINDER_NAME, about } },
        now,
      );
    }
  }
}
