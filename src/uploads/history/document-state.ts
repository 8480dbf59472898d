import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { OpenDocument } from '../../host/host.js';

/** Whether a document was uploaded. Wall-clock times in milliseconds. */
export type DocumentUpload =
  | { readonly kind: 'not-uploaded' }
  | { readonly kind: 'uploaded'; readonly at: number }
  /** It has changed since this upload. */
  | { readonly kind: 'changed'; readonly since: number };

/** The open document, and whether it was uploaded. */
export interface OpenDocumentState {
  readonly document: OpenDocument;
  readonly upload: DocumentUpload;
}

/** Follows the app's open document. */
export class OpenDocumentWatch {
  private readonly store = new Observable<OpenDocumentState | null>(null);

  /** Null when no document is open, or the app does not report it. */
  readonly state: ReadableObservable<OpenDocumentState | null> = this.store;
}
