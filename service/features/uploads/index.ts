export { LISTED, toListedUpload, type ListedRow } from './repository/upload-row.js';
export type { ListedUpload } from './repository/upload.js';
export type { ByteRange, UploadStorage } from './storage/upload-storage.js';
export { HEAD_BYTES } from './tus/digests.js';
export { notFound } from './upload-errors.js';
