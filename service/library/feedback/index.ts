export {
  ANSWER_KINDS,
  type Answer,
  type AnswerKind,
  type AnswerSummary,
  type Approval,
} from './answer.js';
export { answerBadges, answersOf, pinsOver } from './answer-list.js';
export {
  answeredCondition,
  answerSummaries,
  moveAnswers,
  type AnswerTable,
} from './answer-table.js';
