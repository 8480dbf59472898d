export { LibraryLine } from './library-line.js';
export type { LibraryPanel } from './panel.js';
export { startLibrary } from './start.js';
