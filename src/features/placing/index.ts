export type { PlacingPanel } from './panel.js';
export type { Placing } from './placing.js';
export { PlacingFolder, PlacingLine } from './placing-line.js';
export { startPlacing } from './start.js';
