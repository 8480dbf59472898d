export { FolderNotice, FolderSection } from './folder-section.js';
export type { FolderPanel } from './panel.js';
export { startFolder } from './start.js';
