export { OnSaveLine, OnSaveSection } from './on-save-section.js';
export type { OnSavePanel } from './panel.js';
export { startOnSave } from './start.js';
