export { LISTED, toListedUpload, uploadsById, type ListedRow } from './repository/upload-row.js';
export type { ListedUpload } from './upload.js';
export type {
  ByteRange,
  PreviewVariant,
  ThumbnailVariant,
  UploadStorage,
  Variant,
} from './storage/upload-storage.js';
export { HEAD_BYTES, writeReprDigest } from './digests.js';
export { DOCUMENT, ID } from './tus/metadata.js';
export { notFound } from './upload-errors.js';
export { queueDeletion } from './storage/deleted-files.js';
