export {
  ANSWER_KINDS,
  commentOf,
  guestNameOf,
  MAX_COMMENT,
  MAX_GUEST_NAME,
  type Answer,
  type AnswerChange,
  type AnswerKind,
  type AnswerSummary,
  type Approval,
  type Guest,
  type GuestMarks,
  type ListedAnswer,
  type Pin,
  type RecordChange,
} from './answer.js';
export { answerBadges, answersOf, approvalLine, commentHead, pinsOver } from './answer-list.js';
export {
  answeredCondition,
  answerSummaries,
  moveAnswers,
  type AnswerTable,
} from './answer-table.js';
