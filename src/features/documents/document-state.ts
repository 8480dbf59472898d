import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { OpenDocument, OpenDocumentPort } from '../../host/open-document.js';
import type { ClientAnswers, PhotoAnswer, PhotoApproval } from './client-answers.js';
import type { UploadHistory, UploadedPhoto } from '../history/index.js';

/** Whether a document was uploaded. Wall-clock times in milliseconds. */
export type DocumentUpload =
  | { readonly kind: 'not-uploaded' }
  | { readonly kind: 'uploaded'; readonly at: number }
  /** It has changed since this upload. */
  | { readonly kind: 'changed'; readonly since: number };

/** An approval of a document's photo. */
export interface DocumentApproval {
  /** The number of the approved version. */
  readonly version: number;
  /** The document has changed since, or the photo has another version. */
  readonly isOutdated: boolean;
  /** The page that shows it, on the service's own origin; null when the service names none. */
  readonly pageUrl: string | null;
}

/** The open document, whether it was uploaded, and whether clients approved it. */
export interface OpenDocumentState {
  readonly document: OpenDocument;
  readonly upload: DocumentUpload;
  /** Null when nobody approved it, or that is not known. */
  readonly approval: DocumentApproval | null;
}

/**
 * Whether a document was uploaded as it is now.
 * @param photos  the uploaded photos, the newest first
 */
export function documentUpload(
  { documentId, stateId }: Pick<OpenDocument, 'documentId' | 'stateId'>,
  photos: readonly UploadedPhoto[],
): DocumentUpload {
  const last = photos.find((photo) => isOf(photo, documentId));
  if (!last) {
    return { kind: 'not-uploaded' };
  }
  return last.stateId === stateId
    ? { kind: 'uploaded', at: last.at }
    : { kind: 'changed', since: last.at };
}

/** Whether a photo shows a document. The identity is followed by a part and a format: `ID#page-200#image/jpeg`. */
function isOf({ document }: UploadedPhoto, documentId: string | null): boolean {
  return document?.split('#', 1)[0] === documentId;
}

/**
 * The newest approval of a document's photos.
 * @param photos  the uploaded photos, the newest first
 */
export function documentApproval(
  document: Pick<OpenDocument, 'documentId' | 'stateId'>,
  photos: readonly UploadedPhoto[],
  answers: readonly PhotoAnswer[],
): DocumentApproval | null {
  const [answer] = [...answers].sort((one, other) => other.approval.at - one.approval.at);
  if (!answer) {
    return null;
  }
  const { approval, pageUrl } = answer;
  return {
    version: approval.version,
    isOutdated: !approval.isCurrent || hasChangedSince(document, photos, approval),
    pageUrl,
  };
}

/** An approved file that another computer uploaded has no known state: then the last upload from here counts. */
function hasChangedSince(
  document: Pick<OpenDocument, 'documentId' | 'stateId'>,
  photos: readonly UploadedPhoto[],
  { sha256 }: PhotoApproval,
): boolean {
  const approved = photos.filter(
    (photo) => sha256 !== null && photo.sha256 === sha256 && isOf(photo, document.documentId),
  );
  return approved.length > 0
    ? approved.every(({ stateId }) => stateId !== document.stateId)
    : documentUpload(document, photos).kind === 'changed';
}

/**
 * Identities of the uploaded files of a document, as it is now, that a client approved as their current version. Bytes are
 * not compared: an app writes other ones with each export, such as dates. The approved SHA-256 names an upload from this
 * computer, and that upload's state is compared with the document's. So a file of another computer is not found.
 */
export function approvedFiles(
  { documentId, stateId }: Pick<OpenDocument, 'documentId' | 'stateId'>,
  photos: readonly UploadedPhoto[],
  answers: readonly PhotoAnswer[],
): readonly string[] {
  const hashes = answers.flatMap(({ approval }) =>
    approval.isCurrent && approval.sha256 !== null ? [approval.sha256] : [],
  );
  return photos.flatMap((photo) =>
    photo.document !== null &&
    isOf(photo, documentId) &&
    photo.stateId === stateId &&
    photo.sha256 !== null &&
    hashes.includes(photo.sha256)
      ? [photo.document]
      : [],
  );
}

export interface OpenDocumentWatchOptions {
  /** Null in an app that does not report its open document. */
  readonly port: OpenDocumentPort | null;
  readonly history: Pick<UploadHistory, 'changes' | 'photos'>;
  readonly answers: Pick<ClientAnswers, 'changes' | 'of' | 'load'>;
  /** Called with the identity of the open document when another one is open. */
  readonly onDocument: (document: string | null) => void;
}

/** Follows the app's open document. */
export class OpenDocumentWatch {
  private readonly store = new Observable<OpenDocumentState | null>(null);
  /** Counts the questions to the app. Only the answer to the last one counts. */
  private asked = 0;
  private stopListening: (() => void) | null = null;
  /** Id of the newest photo of the open document. */
  private newestPhoto: string | null = null;

  /** Null when no document is open, or the app does not report it. */
  readonly state: ReadableObservable<OpenDocumentState | null> = this.store;

  constructor(private readonly options: OpenDocumentWatchOptions) {
    for (const { changes } of [options.history, options.answers]) {
      changes.subscribe(() => {
        this.show(this.store.get()?.document ?? null);
      });
    }
  }

  /** Begins to follow it. To be called when there is a session: the app is polled. */
  start(): void {
    const { port } = this.options;
    if (port && !this.stopListening) {
      this.stopListening = port.onChange(() => {
        void this.refresh();
      });
      void this.refresh();
    }
    // A new session may be another account's.
    this.loadAnswers();
  }

  /** Ends that: without a session, nothing shows the document. */
  stop(): void {
    this.stopListening?.();
    this.stopListening = null;
  }

  /** Reads the open document. Never fails. Before a session, it makes the panel's first view complete. */
  async refresh(): Promise<void> {
    this.asked += 1;
    const { asked } = this;
    const document = (await this.options.port?.current().catch(() => null)) ?? null;
    if (asked === this.asked) {
      this.show(document);
    }
  }

  private show(document: OpenDocument | null): void {
    const { history, answers, onDocument } = this.options;
    const before = this.store.get()?.document.documentId ?? null;
    const id = document?.documentId ?? null;
    const photos = history.photos();
    const newest = id === null ? null : (photos.find((photo) => isOf(photo, id))?.id ?? null);
    const hasNewPhoto = newest !== null && newest !== this.newestPhoto;
    this.newestPhoto = newest;
    this.store.set(
      document && {
        document,
        upload: documentUpload(document, photos),
        approval: id === null ? null : documentApproval(document, photos, answers.of(id)),
      },
    );
    if (before !== id) {
      onDocument(id);
    }
    if (before !== id || hasNewPhoto) {
      this.loadAnswers();
    }
  }

  /** Call when clients may have decided otherwise. Returns at once. */
  loadAnswers(): void {
    const id = this.store.get()?.document.documentId ?? null;
    if (id !== null && this.stopListening) {
      this.options.answers.load(id);
    }
  }
}
