export { EarlierUploads } from './earlier.js';
export type { HistoryLists, HistoryNeeds, HistoryPanel } from './panel.js';
export { ROW_PX, Row, uploadedEntries } from './photo-row.js';
export { startHistory } from './start.js';
export type { UploadHistory, UploadedPhoto } from './upload-history.js';
