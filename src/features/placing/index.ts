export type { PlacingPanel } from './panel.js';
export { PlacingLine } from './placing-line.js';
export { startPlacing } from './start.js';
