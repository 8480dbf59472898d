export { type ConnectionStatus, connectionStatus } from './connection-status.js';
export {
  AddingLine,
  ConnectionNotice,
  DocumentNotice,
  NotAddedNotice,
  PermissionNotice,
  StorageNotice,
  UndoLine,
  VersionsNotice,
  storageTroubleOf,
} from './notices.js';
export type { ListView, UploadControls, UploadsPanel } from './panel.js';
export { PhotoList } from './photo-list.js';
export { Duplicates, Problems, Reason, groupByCode } from './problems.js';
export { ProgressLine, SelectionLine } from './progress-line.js';
export { ProgressMeter } from './progress.js';
export { DisconnectQuestion, OpenQuestion, pendingOf } from './questions.js';
export { startUploads } from './start.js';
export type { UploadManager, UploadManagerState } from './upload-manager.js';
