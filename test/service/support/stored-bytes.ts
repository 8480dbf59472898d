import { readdir, readFile, readlink, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import { storedInBucket } from './stored-in-bucket.js';

/** Direct access to the storage of a service, to read and damage it. */
export interface StoredBytes {
  /** The ids of uploads of which it holds anything. */
  ids(): Promise<string[]>;
  has(id: string): Promise<boolean>;
  /** All bytes that are held of an upload, finished or not (then of less than a part). */
  read(id: string): Promise<Buffer>;
  /** Replaces the stored bytes of an upload; with fewer bytes like after a crash. */
  replace(id: string, bytes: Uint8Array): Promise<void>;
  /** Puts the bytes of an upload there that is finished and has none yet. */
  add(id: string, bytes: Uint8Array): Promise<void>;
  /** Changes the size of a completed upload's file: it is truncated or padded with zeros. */
  resize(id: string, size: number): Promise<void>;
  /** Loses the bytes of a finished upload. */
  lose(id: string): Promise<void>;
  /** How many bytes a running request has stored for an upload; on S3, of this request only. */
  arrived(id: string): Promise<number>;
  /** How many reads of an upload's bytes run in this process. */
  reads(id: string): Promise<number>;
  /** Stops to watch. */
  close(): void;
}

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
