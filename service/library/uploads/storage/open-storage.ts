import { access } from 'node:fs/promises';
import path from 'node:path';
import type { FilesToCopy } from '../copied-uploads.js';
import { FileStorage } from './file-storage.js';
import type { S3Options } from './s3-options.js';
import type { UploadRepository } from '../repository/upload-repository.js';
import type { UploadStorage } from './upload-storage.js';

/**
 * Opens the storage for the bytes of uploads that the options name: S3-compatible, or a folder. A service with a folder does
 * not load the library of S3, which takes a quarter of a second. Nothing reads both: bytes in the other one are missing.
 */
export async function openStorage(
  { s3, dataDir }: { readonly s3?: S3Options | undefined; readonly dataDir: string },
  records: UploadRepository,
): Promise<UploadStorage> {
  if (s3 === undefined) {
    return new FileStorage(path.join(dataDir, 'uploads'), records);
  }
  const { S3Storage } = await import('./s3-storage.js');
  return new S3Storage(s3, records);
}

/**
 * Opens the folder and the bucket, to copy the files of one into the other.
 * @returns undefined when there is no folder.
 */
export async function openFilesToCopy(
  { s3, dataDir }: { readonly s3: S3Options; readonly dataDir: string },
  records: UploadRepository,
): Promise<FilesToCopy | undefined> {
  const folder = path.join(dataDir, 'uploads');
  try {
    await access(folder);
  } catch {
    return undefined;
  }
  const { S3Copies } = await import('./s3-copies.js');
  return { folder: new FileStorage(folder, records), bucket: new S3Copies(s3, records) };
}
