import path from 'node:path';
import { FileStorage } from './file-storage.js';
import type { S3Options } from './s3-options.js';
import { S3Storage } from './s3-storage.js';
import type { UploadRepository } from '../repository/upload-repository.js';
import type { UploadStorage } from './upload-storage.js';

/** Opens the storage for the bytes of uploads that the options name: S3-compatible, or a folder. */
export function openStorage(
  { s3, dataDir }: { readonly s3?: S3Options | undefined; readonly dataDir: string },
  records: UploadRepository,
): UploadStorage {
  return s3 === undefined
    ? new FileStorage(path.join(dataDir, 'uploads'), records)
    : new S3Storage(s3, records);
}
