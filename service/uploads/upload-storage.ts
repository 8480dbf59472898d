import { Upload, type DataStore } from '@tus/server';
import type { AllDigests } from './digests.js';
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

/** Where the bytes of uploads lie. What an upload is stands in the database, see upload-table.ts. */
export interface UploadStorage extends DataStore {
  /** How many bytes of an upload have arrived. */
  received(id: string): Promise<number>;
  /**
   * Makes sure that the bytes of an unfinished upload are kept, and reads them through. Also heals what a crash
   * after the last byte left behind.
   * @returns undefined while bytes are missing; that costs no statement in the database.
   */
  digestsIfComplete(record: StoredUpload): Promise<AllDigests | undefined>;
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
