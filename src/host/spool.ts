import type { BinaryBody } from './http.js';

/** What there is of a copy that was not moved into the spool. */
export interface IncomingCopy {
  /** Bytes; null while there is only a note. */
  readonly size: number | null;
  /** Whether it is certainly complete: only its move was refused. */
  readonly isComplete: boolean;
  /** See {@link Spool.noteIncoming}; null when there is none. */
  readonly note: string | null;
}

/** A photo's copy in the spool. */
export interface SpooledCopy {
  /** Bytes. */
  readonly size: number;
  /**
   * CRC-32C of the photo as it was chosen, an unsigned 32-bit number. Null where the app makes the copy, since its
   * bytes do not pass through the plugin.
   */
  readonly crc32c: number | null;
}

/** The plugin's own copies of queued photos. */
export interface Spool {
  /** Set where the body that `read` gives is read from disk while it is sent, so that long ones cost no memory. */
  readonly isStreamed?: boolean;
  /** Opens a copy for reading. @throws {CwError} CW-607 when it is gone, CW-702 when it cannot be opened now */
  open(id: string): Promise<SpoolReader>;
  /** Bytes of a copy. @throws {CwError} CW-607 when it is gone, CW-702 when that cannot be found out now */
  size(id: string): Promise<number>;
  /**
   * A small JPEG that the app made of the content of a copy, deleted with it; null when there is none. Never rejects.
   */
  picture?(id: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Deletes copies, also incomplete ones. Never rejects.
   * @returns the ids of copies that may still be there
   */
  remove(...ids: readonly string[]): Promise<readonly string[]>;
  /** The ids of all complete copies. @throws {CwError} CW-702 */
  list(): Promise<readonly string[]>;
  /**
   * Keeps a text about a photo until its copy is moved into the spool or removed, while records cannot be written.
   * @throws {CwError} CW-702, CW-703
   */
  noteIncoming(id: string, note: string): Promise<void>;
  /** The ids of copies that are not complete, or were not moved when they were. @throws {CwError} CW-702 */
  listIncoming(): Promise<readonly string[]>;
  /** What there is of one of these copies; null when nothing is. @throws {CwError} CW-702 */
  incomingCopy(id: string): Promise<IncomingCopy | null>;
  /**
   * Deletes what there is of copies that are not complete. What cannot be deleted now stays, as does what this run is
   * copying. Never rejects.
   */
  removeIncoming(...ids: readonly string[]): Promise<void>;
}

export interface SpoolReader {
  /**
   * Bytes `start` (included) to `end` (excluded), ready to be sent.
   * @throws {CwError} CW-607 when there are fewer, CW-702 when they cannot be read now
   */
  read(start: number, end: number): Promise<BinaryBody>;
  /**
   * Bytes `start` (included) to `end` (excluded) in order. A chunk is valid only until the next one is read. Few of
   * them are in memory at a time.
   * @throws {CwError} while reading: CW-607 when there are fewer, CW-702 when they cannot be read now
   */
  chunks(start: number, end: number): AsyncIterable<Uint8Array, void>;
  close(): Promise<void>;
}
