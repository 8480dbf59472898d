export {
  ANSWER_KINDS,
  type Feedback,
  type AnswerKind,
  type FeedbackSummary,
  type Approval,
} from './feedback.js';
export { answerBadges, answersOf, commentsByPage, pinsOver, timeLine } from './feedback-list.js';
export {
  answeredCondition,
  answerSummaries,
  feedbackOf,
  moveAnswers,
  type FeedbackTable,
} from './feedback-table.js';
export { GuestTable } from './guest-table.js';
export { pageIn, presentPlace, timeIn, timeText } from './place.js';
export { FEEDBACK_EVENTS } from './events.js';
