/** The document in front, at one moment. */
export interface OpenDocument {
  /** Names the document while it is open, in this run only. */
  readonly key: string;
  /** File name or title, for users. */
  readonly name: string;
  /**
   * Identity that stays when the document is saved, closed and opened again (`src/util/xmp.ts`). A document without one
   * has an identity for this run, while it is open. Null where the app identifies no documents.
   */
  readonly documentId: string | null;
  /**
   * Changes with every change of the content, and returns to its earlier value where the app can report an undo. It is
   * comparable across restarts for a document without unsaved changes, where the app reports that.
   */
  readonly stateId: string;
  /**
   * The document as a small JPEG in a `data:` URL. Making it may keep the app busy for a moment, so after the first one it
   * is made only when the document has rested.
   * @param px  about its longer side, in pixels
   * @returns null when the app makes none now, or the document has changed in the meantime; never rejects
   */
  thumbnail(px: number): Promise<string | null>;
}

/** Watches the document in front. */
export interface OpenDocumentPort {
  /** Null without a document. Never rejects. */
  current(): Promise<OpenDocument | null>;
  /** An open document by its `key`; null when it is closed, or the app gives only the one in front. Never rejects. */
  find(key: string): Promise<OpenDocument | null>;
  /**
   * Calls `callback` after another document has come to the front, or this one has changed or was saved. The host is
   * polled while anyone listens, so listen only while the panel is in use.
   * @returns ends the subscription
   */
  onChange(callback: () => void): () => void;
}

/** Reports that the user has saved a document. */
export interface DocumentSaves {
  /**
   * Calls `callback` after a save, perhaps more than once, with the `key` of the document ({@link OpenDocument}). Copies
   * that leave the document as it is do not count, nor do the plugin's own exports.
   * @returns ends the subscription
   */
  onSave(callback: (documentKey: string) => void): () => void;
}
