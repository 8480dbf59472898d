import type { PhotoSource } from './photo-source.js';

/** Folders that the user chooses once. */
export interface FolderPort {
  /** Opens the host's folder picker. Gives null when the user cancels. @throws {CwError} CW-802 */
  pickFolder(): Promise<ChosenFolder | null>;
  /** The folder of an earlier choice. @throws {CwError} CW-705 when it is gone or was moved */
  openFolder(token: string): Promise<ChosenFolder>;
}

/** A folder that the user has chosen. Without {@link FolderTree}, only files directly in it count. */
export interface ChosenFolder {
  /** Opens it again after a restart. */
  readonly token: string;
  /** For users to read. */
  readonly name: string;
  /** Where it is, to recognise it when it is chosen again. */
  readonly path: string;
  /** The names of the files in it now. @throws {CwError} CW-705 */
  list(): Promise<readonly string[]>;
  /** A file of the last list, as it is now; null when it is gone or cannot be read now. */
  stat(name: string): Promise<FileStat | null>;
  /** A file of the last list, to be copied into the spool. */
  photo(name: string): PhotoSource;
  /**
   * Moves a file of the last list into a subfolder, which is created. Adds a number to its name when that is taken.
   * @throws {CwError} CW-705
   */
  moveInto(subfolder: string, name: string): Promise<void>;
  /** Its files with those of its subfolders. */
  readonly tree: FolderTree;
}

/**
 * The files of a folder and of its subfolders. Paths are relative to the folder, with `/` between names. Hidden folders, and
 * names that begin with `.` or `~`, are left out.
 */
export interface FolderTree {
  /**
   * @param most  how many files are listed; the others are left out
   * @throws {CwError} CW-705
   */
  list(most: number): Promise<readonly string[]>;
  /** Null when it is gone or cannot be read now. */
  stat(path: string): Promise<FileStat | null>;
  /**
   * A whole file.
   * @param most  the longest file that is read, in bytes
   * @returns null when there is none
   * @throws {CwError} CW-602 when it cannot be read, or is longer
   */
  read(path: string, most: number): Promise<Uint8Array | null>;
  /**
   * Opens a file of any length, as it is now: the app copies it first. One at a time.
   * @throws {CwError} CW-602, CW-703
   */
  open(path: string): Promise<OpenFile>;
  /**
   * Writes a file beside the present one, if there is one, and puts it in its place. After a kill it is the old one or the new one,
   * or {@link recover} makes it so.
   * @param before  the file that may be replaced, null for none; another one stays
   * @returns `changed` when another file is there. `unknown` when the app did not answer: the new file is there, or may come
   * @throws {CwError} CW-703 disk full, CW-811 when the app refuses, as for a read-only file; the old one is there then
   */
  replace(
    path: string,
    before: FileStat | null,
    parts: AsyncIterable<Uint8Array>,
  ): Promise<'replaced' | 'changed' | 'unknown'>;
  /** Deletes a file. @throws {CwError} CW-811; it may be deleted later, if the app has not answered */
  remove(path: string): Promise<void>;
  /**
   * Ends what a kill, or an app that has not answered, has left of {@link replace}. Never rejects.
   * @param files  with whether there was a file before
   * @returns the paths that the app may still change
   */
  recover(
    files: readonly { readonly path: string; readonly hadFile: boolean }[],
  ): Promise<ReadonlySet<string>>;
}

/** A file that is read in parts. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** Bytes `start` (included) to `end` (excluded). @throws {CwError} CW-602 */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface FileStat {
  /** Bytes. */
  readonly size: number;
  /** Wall-clock time in milliseconds of its last change. */
  readonly modified: number;
}
