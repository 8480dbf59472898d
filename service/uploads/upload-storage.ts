import type { Readable } from 'node:stream';
import { Upload, type DataStore } from '@tus/server';
import type { FileContent } from './digests.js';
import type { StoredUpload } from './stored-upload.js';

/**
 * The tus extensions that the service offers, whatever keeps the bytes. The last three are our own; docs/protocol.md
 * describes them.
 */
export const EXTENSIONS = [
  'creation',
  'creation-with-upload',
  'termination',
  'client-upload-id',
  'repr-digest',
  'known-uploads',
];

/** Some bytes of a file: the places of the first and the last of them, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What is looked for where the storage may hold beginnings of uploads that nothing else knows of. */
export interface StraySearch {
  /** Only what was begun before: what is younger may be about to be noted. */
  readonly before: Date;
  /** Tells which of these are ids of uploads that go on. */
  readonly unfinished: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Where the bytes of uploads lie. What an upload is stands in the database, see upload-table.ts. */
export interface UploadStorage extends DataStore {
  /** How many bytes of an upload have arrived. */
  received(id: string): Promise<number>;
  /**
   * Makes sure that the bytes of an unfinished upload are kept, and reads them through. Also heals what a crash
   * after the last byte left behind.
   * @returns undefined while bytes are missing; that costs no statement in the database.
   */
  contentIfComplete(record: StoredUpload): Promise<FileContent | undefined>;
  /** Removes the bytes of an upload that is no longer listed; it may have none. */
  discard(id: string): Promise<void>;
  /** Makes sure that what was removed stays so, also after a loss of power. */
  settleDiscards(): Promise<void>;
  /**
   * Some bytes of a finished upload; the range lies within it. Whoever does not read to the end destroys the stream.
   * @throws {Error} when they are not all there.
   */
  readRange(id: string, range: ByteRange): Promise<Readable>;
  /** Removes beginnings of uploads that nothing else knows of. Several processes may do it at the same time. */
  removeStrays(search: StraySearch, signal: AbortSignal | undefined): Promise<void>;
  /** The path of a finished upload, where its bytes are a file of this machine. */
  localFile(id: string): string | undefined;
}

/** An upload as the tus server sees it, of which so many bytes have arrived. */
export function toUpload(record: StoredUpload, offset = 0): Upload {
  return new Upload({
    id: record.id,
    size: record.size,
    offset,
    metadata: record.metadata,
    creation_date: record.createdAt.toISOString(),
  });
}
