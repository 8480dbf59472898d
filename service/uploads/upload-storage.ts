import { Upload, type DataStore } from '@tus/server';
import type { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import type { StoredUpload } from './stored-upload.js';

/** The tus extensions that the service offers, whatever keeps the bytes. */
export const EXTENSIONS = ['creation', 'creation-with-upload', 'termination'];

/** Where the bytes of uploads lie. What an upload is stands in the database, see upload-table.ts. */
export interface UploadStorage extends DataStore {
  /** How many bytes of an upload have arrived. */
  received(id: string): Promise<number>;
  /**
   * Finishes an upload all of whose bytes have arrived: makes sure they are kept, computes their
   * SHA-256 and lists it. Does nothing for any other, and then costs no statement in the database. Also
   * heals what a crash between the last byte and this left behind.
   */
  finishIfComplete(record: StoredUpload): Promise<void>;
  /** Removes the bytes of an upload that is no longer listed; it may have none. */
  discard(id: string): Promise<void>;
}

/** An upload as the tus server sees it, before the store says how far it is. */
export function toUpload(record: StoredUpload): Upload {
  return new Upload({
    id: record.id,
    size: record.size,
    offset: 0,
    metadata: record.metadata,
    creation_date: record.createdAt.toISOString(),
  });
}

/** SHA-256 of everything a stream holds, in hex. */
export async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}
