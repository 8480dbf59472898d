import type { CwError } from '../util/errors.js';
import type { DownloadedFile } from './downloads.js';

/** Which delivered file a link shows. It is kept in the document, where it takes fewer than 400 bytes. */
export interface PlacedIdentity {
  /** Of the service, such as `https://workspace.example`. */
  readonly origin: string;
  /** Id of the upload: a version, not its photo. */
  readonly uploadId: string;
  /** SHA-256 of the original of that version, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** What was placed: the original, or a smaller picture of it. */
  readonly size: 'original' | 'web';
}

/** A link of a document. */
export interface PlacedFile {
  /** Names the link while the document is open. */
  readonly key: string;
  /** File name, for users. */
  readonly name: string;
  /** Where the file is, as the app writes it; null when the app does not give it. */
  readonly path: string | null;
  /** Null for a file that was placed by other means. */
  readonly identity: PlacedIdentity | null;
  /** The file as the app sees it. `unknown` where the app does not give that. */
  readonly state: 'present' | 'changed' | 'missing' | 'embedded' | 'unknown';
}

/**
 * Files that are placed in an open document. Every change is one step that can be undone, where the app has such steps. One
 * that fails leaves the document as it was.
 */
export interface PlacedFiles {
  /**
   * All links of an open document, in the order of the app.
   * @param documentKey  `key` of the document (`OpenDocument`)
   * @throws {CwError} CW-803 when the document is not open, CW-815 when the app does not give its links
   */
  list(documentKey: string): Promise<readonly PlacedFile[]>;
  /**
   * Places a file where the user works: into the selected frame or at the text cursor, else on the page in front.
   * @param stepName  of the step, for users
   * @throws {CwError} CW-803 when the document is not in front, CW-807 when the app is busy, CW-815 when the app refuses,
   *   CW-816 when the place is locked
   */
  place(
    documentKey: string,
    file: DownloadedFile,
    identity: PlacedIdentity,
    stepName: string,
  ): Promise<void>;
}

/** A link that gets another file. */
export interface LinkChange {
  /** Of {@link PlacedFile}. */
  readonly key: string;
  readonly file: DownloadedFile;
  readonly identity: PlacedIdentity;
}

/** What became of a {@link LinkChange}. */
export interface LinkOutcome {
  /** As in the change. The link may have another key now. */
  readonly key: string;
  /** Null when the link has the file. Else the link is as it was, with the identity of what it shows, or none. */
  readonly error: CwError | null;
}

/** Puts other files in the place of placed ones. Their place, size, crop and rotation stay. */
export interface PlacedFileUpdates {
  /** Whether the user can undo it in the app. It is one step then. */
  readonly canUndo: boolean;
  /**
   * @param documentKey  `key` of the document (`OpenDocument`)
   * @param stepName  of the step, for users
   * @returns an outcome for each change
   * @throws {CwError} CW-803 when the document is not open, CW-807 when the app is busy. Then nothing has changed
   */
  relink(
    documentKey: string,
    changes: readonly LinkChange[],
    stepName: string,
  ): Promise<readonly LinkOutcome[]>;
}
