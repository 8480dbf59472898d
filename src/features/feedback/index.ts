export { FeedbackLine } from './feedback-line.js';
export type { FeedbackPanel } from './panel.js';
export { startFeedback } from './start.js';
