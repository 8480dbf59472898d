import type { RequestQueue } from '../../api/request-queue.js';
import type { UploadHistory } from '../history/index.js';
import type { PhotoRecord, PhotoVersion, UploadReceipt } from '../queue/index.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

/** An uploaded photo that the service has made a new version of another one. */
export interface NewVersion extends PhotoVersion {
  /** Its id at the service. */
  readonly uploadId: string;
}

export interface NewVersionsOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
  readonly history?: Pick<UploadHistory, 'recordDetached'>;
}

/** The panel shows at most so many; the history has all. */
const MAX_SHOWN = 1000;

/**
 * The picked photos that became versions of earlier ones because of their documents and names, so that the user can
 * undo that. The user knows of the others: an export of the open document, a file of the watched folder, and an answer
 * to a question.
 */
export class NewVersions {
  private readonly store = new Observable<readonly NewVersion[]>([]);

  /** Those that the user has neither undone nor dismissed, the oldest first. */
  readonly shown: ReadableObservable<readonly NewVersion[]> = this.store;

  constructor(private readonly options: NewVersionsOptions) {}

  /** Call when a photo was uploaded. */
  add(record: PhotoRecord, { version, uploadId }: UploadReceipt): void {
    const { replaces, byDocument, unattended } = record;
    if (version && uploadId !== null && replaces === null && !byDocument && !unattended) {
      this.store.set([...this.store.get(), { ...version, uploadId }].slice(-MAX_SHOWN));
    }
  }

  /**
   * Makes uploads photos of their own. Those before an error are done.
   * @param uploadIds  their ids at the service
   * @throws {CwError} when the service refuses one, or storage the note of it
   */
  async undo(uploadIds: readonly string[]): Promise<void> {
    const { requests, endpoint, history } = this.options;
    for (const uploadId of uploadIds) {
      await requests.send({
        method: 'POST',
        url: `${endpoint}/${uploadId}/detach`,
        headers: { Accept: 'application/json' },
        repeatable: true,
        isAnswer: ({ status }) => status === 204,
      });
      this.store.set(this.store.get().filter((shown) => shown.uploadId !== uploadId));
      await history?.recordDetached(uploadId);
    }
  }

  /** Shows no version any more. They stay as they are. */
  dismiss(): void {
    this.store.set([]);
  }
}
