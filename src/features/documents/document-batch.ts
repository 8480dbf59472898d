import { CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ExportTarget } from '../../host/document-export.js';
import type { DocumentUpload, DocumentUploads } from './document-uploads.js';

/** One of several documents that are uploaded together. */
export interface BatchEntry {
  readonly target: ExportTarget;
  /** Shown when it fails. */
  readonly name: string;
}

/** How far several documents are. */
export interface BatchState {
  /** How many exports have ended, well or badly. */
  readonly done: number;
  /** How many there are; 0 when none are under way. */
  readonly total: number;
  /** What was not exported, in the order of the exports. */
  readonly failures: readonly { readonly name: string; readonly error: CwError }[];
}

const IDLE: BatchState = { done: 0, total: 0, failures: [] };

/** Uploads several documents one after the other. One that fails does not stop the others. */
export class DocumentBatch {
  private readonly store = new Observable<BatchState>(IDLE);
  /** Another number for each run: an earlier one that was cancelled ends by it. */
  private run = 0;

  readonly state: ReadableObservable<BatchState> = this.store;

  constructor(private readonly documents: Pick<DocumentUploads, 'upload'>) {}

  /** Settles when all copies are safe in the queue, or refused or cancelled. Ends a batch that is under way. Never rejects. */
  async upload(
    entries: readonly BatchEntry[],
    request: Pick<DocumentUpload, 'preset' | 'title' | 'project'>,
  ): Promise<void> {
    this.run += 1;
    const { run } = this;
    this.store.set({ ...IDLE, total: entries.length });
    for (const { target, name } of entries) {
      const outcome = await this.documents.upload({ ...request, target, isQuiet: true });
      if (run !== this.run) {
        return;
      }
      if (outcome === 'cancelled') {
        break;
      }
      const { done, total, failures } = this.store.get();
      const failed = outcome instanceof CwError ? [{ name, error: outcome }] : [];
      this.store.set({ done: done + 1, total, failures: [...failures, ...failed] });
    }
    this.cancel();
  }

  /** Exports no more. One that is under way is still queued. Failures stay. */
  cancel(): void {
    this.run += 1;
    this.store.set({ ...IDLE, failures: this.store.get().failures });
  }

  /** Clears the failures. */
  dismiss(): void {
    this.store.set({ ...this.store.get(), failures: [] });
  }
}
