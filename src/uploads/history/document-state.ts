import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { OpenDocument, OpenDocumentPort } from '../../host/host.js';
import type { UploadedPhoto, UploadHistory } from './upload-history.js';

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

/**
 * Whether a document was uploaded as it is now.
 * @param photos  the uploaded photos, the newest first
 */
export function documentUpload(
  { documentId, stateId }: Pick<OpenDocument, 'documentId' | 'stateId'>,
  photos: readonly UploadedPhoto[],
): DocumentUpload {
  // The identity is followed by a part and a format: `ID#page-200#image/jpeg`.
  const last = photos.find(({ document }) => document?.split('#', 1)[0] === documentId);
  if (!last) {
    return { kind: 'not-uploaded' };
  }
  return last.stateId === stateId
    ? { kind: 'uploaded', at: last.at }
    : { kind: 'changed', since: last.at };
}

export interface OpenDocumentWatchOptions {
  /** Null in an app that does not report its open document. */
  readonly port: OpenDocumentPort | null;
  readonly history: Pick<UploadHistory, 'changes' | 'photos'>;
  /** Called with the identity of the open document when another one is open. */
  readonly onDocument: (document: string | null) => void;
}

/** Follows the app's open document. */
export class OpenDocumentWatch {
  private readonly store = new Observable<OpenDocumentState | null>(null);
  /** Counts the questions to the app. Only the answer to the last one counts. */
  private asked = 0;
  private stopListening: (() => void) | null = null;

  /** Null when no document is open, or the app does not report it. */
  readonly state: ReadableObservable<OpenDocumentState | null> = this.store;

  constructor(private readonly options: OpenDocumentWatchOptions) {
    options.history.changes.subscribe(() => {
      this.show(this.store.get()?.document ?? null);
    });
  }

  /** Begins to follow it. To be called when there is a session: the app is polled. */
  start(): void {
    const { port } = this.options;
    if (!port || this.stopListening) {
      return;
    }
    this.stopListening = port.onChange(() => {
      void this.refresh();
    });
    void this.refresh();
  }

  /** Ends that: without a session, nothing shows the document. */
  stop(): void {
    this.stopListening?.();
    this.stopListening = null;
  }

  /** Reads the open document again. Never fails. */
  private async refresh(): Promise<void> {
    this.asked += 1;
    const { asked } = this;
    const document = (await this.options.port?.current().catch(() => null)) ?? null;
    if (asked === this.asked) {
      this.show(document);
    }
  }

  private show(document: OpenDocument | null): void {
    const { history, onDocument } = this.options;
    const before = this.store.get()?.document.documentId ?? null;
    this.store.set(document && { document, upload: documentUpload(document, history.photos()) });
    if (before !== (document?.documentId ?? null)) {
      onDocument(document?.documentId ?? null);
    }
  }
}
