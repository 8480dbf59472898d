/** A place in a file that was exported from a document. */
export interface FilePlace {
  /** The page of the file, 1 for the first; null where the file has none, or all are meant. */
  readonly page: number | null;
  /** Seconds from the start of the film; null for a file without a time. */
  readonly start: number | null;
  readonly end: number | null;
  /** A spot, as parts of the width and the height of the picture or the page: 0 to 1. */
  readonly spot: { readonly x: number; readonly y: number } | null;
  /** `PhotoSource.source` of the file; null when it is not known. */
  readonly source: string | null;
}

/** A comment to be shown in a document. */
export interface DocumentComment {
  readonly id: string;
  readonly place: FilePlace;
  /** Who wrote it, about which version. One line. */
  readonly title: string;
  readonly text: string;
}

/** Comments that are shown in a document. */
export interface ShownComments {
  /**
   * By the id of the comment, what the app needs to find it again. To be kept, and given back to the next call: a call
   * without it recognises only what has not changed since.
   */
  readonly marks: ReadonlyMap<string, string>;
  /** Comments whose place is not certain: the document has changed since the export in a way that cannot be traced. */
  readonly uncertain: readonly string[];
  /** Comments that are not shown: they have no place, or it is gone from the document. */
  readonly unplaced: readonly string[];
}

/**
 * Puts comments into the document in front, and takes them out again. Every change is one step that can be undone, and one
 * that fails leaves the document as it was.
 */
export interface DocumentComments {
  /** Whether `goTo` may succeed: an app without a documented way never shows a place. */
  readonly canGoTo: boolean;
  /**
   * Brings a place of the document in front into sight. Changes nothing in the document.
   * @param documentKey  `key` of the document (`OpenDocument`)
   * @returns false when the app cannot do that, another document is in front, or the place is gone; never rejects
   */
  goTo(documentKey: string, place: FilePlace): Promise<boolean>;
  /**
   * Shows these comments, in this order. What is shown already stays as it is, and those of `marks` that are not among them go.
   * @param marks  of the last call for this document
   * @param name  of the step, the layer or the group, for users
   * @throws {CwError} CW-803 when the document is not in front, CW-807 when the app is busy, CW-814 when the app refuses
   */
  show(
    documentKey: string,
    comments: readonly DocumentComment[],
    marks: ReadonlyMap<string, string>,
    name: string,
  ): Promise<ShownComments>;
  /**
   * Takes out what `show` has put in: what `marks` name, and what looks as one of `comments` would.
   * @throws {CwError} as `show`
   */
  remove(
    documentKey: string,
    comments: readonly DocumentComment[],
    marks: ReadonlyMap<string, string>,
    name: string,
  ): Promise<void>;
}
