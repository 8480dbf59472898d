export {
  ANSWER_KINDS,
  commentOf,
  type Feedback,
  type AnswerKind,
  type FeedbackSummary,
  type Approval,
} from './feedback.js';
export { answerBadges, answersOf, commentsByPage, pinsOver, timeLine } from './feedback-list.js';
export { moveAnswers, type FeedbackTable } from './feedback-table.js';
export {
  answeredCondition,
  answerSummaries,
  approvalColumn,
  feedbackOf,
} from './photo-feedback.js';
export { MARKER_FORMAT_NAMES, MARKER_FORMATS, type MarkerFormat } from './markers/marker-files.js';
export {
  filmComments,
  isTimed,
  readMarkerOptions,
  type FilmComments,
  type NoMarkers,
} from './markers/markers.js';
export { FRAME_RATE_NAMES } from './markers/time-code.js';
export { LabelTable, type LabelNames } from './labels.js';
export { presentFeedback } from './present-feedback.js';
export { pageIn, timeIn, timeText } from './place.js';
export { FEEDBACK_EVENTS } from './events.js';
export { changeRecorder } from './record-change.js';
