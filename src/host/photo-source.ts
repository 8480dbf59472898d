import type { SpooledCopy } from './spool.js';

/** A photo that the user chose, before it is copied. */
export interface PhotoSource {
  /** File name for users to read; never used as a path. */
  readonly name: string;
  /** Media type, such as `image/jpeg`. */
  readonly type: string;
  /** Set for a photo that exists under this id already: no other may be given to `copyToSpool`. */
  readonly id?: string;
  /**
   * Set for an export: identity of the document, from its XMP. A page or a frame has its own: the document's identity,
   * `#`, and its place. Null where the app identifies no documents.
   */
  readonly document?: string | null;
  /** Set for an automatic export: how it was made and for which project, see `recipeOf`. */
  readonly recipe?: string | null;
  /** State of that document when it was exported, as in `OpenDocument`; null when it is not known. */
  readonly stateId?: string | null;
  /** Set for an export: how much it contains. Null where that is not known. */
  readonly length?: FileLength | null;
  /**
   * Set for an export: what `DocumentComments` of the same app needs to find a place of the file in the document.
   * At most {@link MAX_SOURCE_LENGTH} printable ASCII characters.
   */
  readonly source?: string | null;
  /**
   * What a later run needs to go on after this one was killed. Missing where the host has nothing of that. Never rejects.
   */
  describe?(): Promise<FileDescription>;
  /**
   * Copies the photo's bytes into the spool under `id`; the copy exists whole or is missing.
   * @throws {CwError} CW-602 when the photo itself cannot be read, CW-702 when no copy can be made, CW-703 disk full
   */
  copyToSpool(id: string): Promise<SpooledCopy>;
}

/** A picked file, before it is copied. */
export interface FileDescription {
  /** Opens it again after a restart, see `Host.reopenPhoto`; null when the host refuses one. */
  readonly token: string | null;
  /** Bytes; null when the host does not report them. */
  readonly size: number | null;
}

/** How much a file contains. */
export type FileLength =
  | { readonly kind: 'pages'; readonly pages: number }
  | { readonly kind: 'duration'; readonly seconds: number };

/** Longest {@link PhotoSource.source}. It is sent with the metadata of the file, which are at most 4 KiB. */
export const MAX_SOURCE_LENGTH = 1_800;
