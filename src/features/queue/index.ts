export {
  NO_CONTEXT,
  type PhotoContext,
  type PhotoRecord,
  hasBegun,
  identityOfFormat,
  needsConfirmation,
  readContext,
  readSource,
  readDocumentId,
  retryCanHelp,
} from './photo-record.js';
export type { CopiedPhoto, OrphanPhoto, PhotoStore, Removal } from './photo-store.js';
export type { NotedPick, PhotoToCopy } from './pick-notes.js';
export { spoolSha256 } from './spool-hash.js';
export { startQueue } from './start.js';
export { EMPTY_SUMMARY, type UploadItem, type UploadSummary } from './upload-item.js';
export type { UploadQueue } from './upload-queue.js';
export type { PhotoVersion, UploadReceipt } from './upload-receipt.js';
