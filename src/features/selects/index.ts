export { readFileFacts, type FileFacts } from './file-facts.js';
export type { SelectsPanel } from './panel.js';
export { SelectsLine } from './selects-line.js';
export { openSelects } from './selects-sheet.js';
export { startSelects } from './start.js';
