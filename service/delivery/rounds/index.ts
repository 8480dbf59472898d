/** Decisions that links ask their reviewers for, until a date. */
export { DECISION_EVENTS } from './events.js';
export {
  checkReviewers,
  decisionFields,
  formatReviewers,
  parseReviewers,
  type DecisionEntry,
} from './round-form.js';
export { decisionNotice, reviewerList } from './reviewer-list.js';
export { reviewerStates, type LinkFiles, type ReviewerState } from './reviewer-state.js';
export { reminderMail, RESULT_MAIL } from './round-mails.js';
export { recordDecision, RoundTable, setRound, type Round } from './round-table.js';
export { settleRounds, type RoundLink } from './settle-rounds.js';
