export type { PlacedFilesPanel } from './panel.js';
export { PlacedFilesLine } from './placed-files-line.js';
export { startPlacedFiles, startPlacements } from './start.js';
