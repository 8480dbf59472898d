import type { ChosenFolder } from './folders.js';

/** Files on their way into a folder of the user. They grow in the plugin's own storage, and are moved when they are complete. */
export interface Downloads {
  /**
   * Opens a part with what an earlier run has left of it, or a new one.
   * @param id  letters, digits and hyphens
   * @throws {CwError} CW-706, CW-707 disk full
   */
  openPart(id: string): Promise<FilePart>;
  /** Removes parts that were last changed before this wall-clock time in milliseconds. Never rejects. */
  removeParts(before: number): Promise<void>;
  /** A file of the folder to be placed. @throws {CwError} CW-706 when it is gone */
  file(folder: ChosenFolder, name: string): Promise<DownloadedFile>;
}

/** A part of a file. */
export interface FilePart {
  /** Bytes that it had when it was opened. */
  readonly size: number;
  /** Writes bytes at a place that is not behind its end. @throws {CwError} CW-706, CW-707 disk full */
  write(bytes: ArrayBuffer, at: number): Promise<void>;
  /** The bytes that it had when it was opened, few at a time. @throws {CwError} CW-706 */
  chunks(): AsyncIterable<Uint8Array, void>;
  /** Ends the work with it. It stays. Never rejects. */
  close(): Promise<void>;
  /**
   * Moves a closed part into a folder under this name. Never overwrites.
   * @returns false when the name is taken
   * @throws {CwError} CW-706, CW-707 disk full; the part stays then
   */
  moveTo(folder: ChosenFolder, name: string): Promise<boolean>;
  /** Deletes it. Never rejects. */
  remove(): Promise<void>;
}

/** A file in a folder of the user, which an app can read. */
export interface DownloadedFile {
  readonly name: string;
  /** Its path as the system writes it. */
  readonly path: string;
}
