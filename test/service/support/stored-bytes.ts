import { readdir, readFile, readlink, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import { storedInBucket, type StoredBytes } from './stored-in-bucket.js';

/** Where a service with these options keeps the bytes of its uploads. */
export function storedBytes(dataDir: string, s3: S3Options | undefined): StoredBytes {
  return s3 === undefined ? storedInFolder(path.join(dataDir, 'uploads')) : storedInBucket(s3);
}

function storedInFolder(folder: string): StoredBytes {
  const file = (id: string): string => path.join(folder, id);
  const ids = async (): Promise<string[]> => [
    ...new Set((await readdir(folder)).map((name) => name.replace(/\.[a-z-]+$/, ''))),
  ];
  return {
    ids,
    has: async (id) => (await ids()).includes(id),
    read: (id) => readFile(file(id)),
    replace: (id, bytes) => writeFile(file(id), bytes),
    add: (id, bytes) => writeFile(file(id), bytes),
    resize: (id, size) => truncate(file(id), size),
    lose: (id) => rm(file(id)),
    // Before the first of them there is no file.
    arrived: async (id) => (await stat(file(id)).catch(() => undefined))?.size ?? 0,
    reads: async (id) => {
      const links = (await readdir('/proc/self/fd')).map((link) =>
        readlink(`/proc/self/fd/${link}`).catch(() => ''),
      );
      return (await Promise.all(links)).filter((target) => target.endsWith(id)).length;
    },
    close: () => undefined,
  };
}
