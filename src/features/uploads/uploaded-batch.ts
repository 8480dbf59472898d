import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ProjectRef } from '../../api/project.js';
import type { PhotoRecord } from '../queue/index.js';

/** Photos that were uploaded one after another. */
export interface UploadedBatch {
  readonly count: number;
  /** The names of the first photos, three at most. */
  readonly names: readonly string[];
  /** The project that has all of them; null when there is none. */
  readonly project: ProjectRef | null;
  /** Their ids at the service, for a link to them. Without those that have none, and at most as many as a link takes. */
  readonly uploads: readonly string[];
}

const MAX_NAMES = 3;
/** A link shows at most so many photos. */
const MAX_UPLOADS = 1000;

/** Sums up the photos that are uploaded until the list is idle. */
export class UploadedBatches {
  private readonly store = new Observable<UploadedBatch | null>(null);
  private current: UploadedBatch | null = null;

  /** The last batch that is complete. */
  readonly last: ReadableObservable<UploadedBatch | null> = this.store;

  /** Adds an uploaded photo. @param uploadId  its id at the service */
  add({ name, project }: PhotoRecord, uploadId: string | null): void {
    const { count, names, project: common, uploads } = this.current ?? { ...EMPTY, project };
    this.current = {
      count: count + 1,
      names: count < MAX_NAMES ? [...names, name] : names,
      project: common?.id === project?.id ? common : null,
      uploads: uploadId === null || count >= MAX_UPLOADS ? uploads : [...uploads, uploadId],
    };
  }

  /** Call when nothing more is uploaded for now. */
  end(): void {
    if (this.current) {
      this.store.set(this.current);
      this.current = null;
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.current = null;
    this.store.set(null);
  }
}

const EMPTY: UploadedBatch = { count: 0, names: [], project: null, uploads: [] };
