import type { LinkChange, PlacedFileUpdates } from '../../host/placed-files.js';
import { CancelledError, CancelSource, throwIfCancelled } from '../../util/cancel.js';
import { toCwError, type CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { Placing } from '../placing/index.js';
import type { FileUpdate } from './placed-row.js';

/** An update of placed files. */
export interface PlacedUpdatesState {
  readonly canUpdate: boolean;
  /** Whether the app can undo an update. */
  readonly canUndo: boolean;
  /** How many files are there already, of how many; null while nothing is updated. */
  readonly progress: {
    readonly done: number;
    readonly total: number;
    /** Whether the document is being changed: that cannot be stopped. */
    readonly isChanging: boolean;
  } | null;
  /** What came of the last update; null before one. */
  readonly result: {
    readonly updated: number;
    readonly failures: readonly { readonly name: string; readonly error: CwError }[];
  } | null;
}

export interface PlacedUpdatesOptions {
  /** Null in an app without such an interface. */
  readonly host: PlacedFileUpdates | null;
  readonly placing: Pick<Placing, 'download' | 'cancel'>;
  /** `key` of the document in front; null when there is none. */
  readonly front: () => string | null;
  /** The name of the step in the document, for users. */
  readonly stepName: (count: number) => string;
  /** Called after the document may have changed. */
  readonly onDone: () => void;
}

/** Puts newer versions of files in the place of those that the document shows. */
export class PlacedUpdates {
  private readonly store: Observable<PlacedUpdatesState>;
  private cancelling = new CancelSource();

  readonly state: ReadableObservable<PlacedUpdatesState>;

  constructor(private readonly options: PlacedUpdatesOptions) {
    const { host } = options;
    this.store = new Observable<PlacedUpdatesState>({
      canUpdate: host !== null,
      canUndo: host?.canUndo === true,
      progress: null,
      result: null,
    });
    this.state = this.store;
  }

  /**
   * Downloads the files, then changes the document in one step. What cannot be downloaded or replaced stays as it is, and
   * becomes part of the state. Never fails.
   */
  async update(updates: readonly FileUpdate[]): Promise<void> {
    const { host, onDone } = this.options;
    const front = this.options.front();
    if (!host || front === null || this.store.get().progress || updates.length === 0) {
      return;
    }
    this.cancelling = new CancelSource();
    this.set({ result: null, progress: { done: 0, total: updates.length, isChanging: false } });
    const failures = new Map<string, CwError>();
    let updated = 0;
    try {
      const changes = await this.download(updates, failures);
      if (changes && changes.length > 0) {
        const [done, total] = [changes.length, updates.length];
        this.set({ progress: { done, total, isChanging: true } });
        updated = await this.relink(host, front, changes, failures);
      }
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        const failure = toCwError(error, 'CW-818', 'the files were not replaced');
        for (const { key } of updates) {
          failures.set(key, failures.get(key) ?? failure);
        }
      }
    }
    this.set({ progress: null });
    if (updated + failures.size > 0) {
      this.set({
        result: {
          updated,
          failures: updates.flatMap(({ key, name }) => {
            const error = failures.get(key);
            return error ? [{ name, error }] : [];
          }),
        },
      });
    }
    onDone();
  }

  /** Ends the downloads. The document is then as it was. */
  cancel(): void {
    if (this.store.get().progress?.isChanging === false) {
      this.cancelling.cancel();
      this.options.placing.cancel();
    }
  }

  dismiss(): void {
    this.set({ result: null });
  }

  /**
   * @returns null when the user has to choose a folder or to allow it first
   * @throws {CancelledError}
   */
  private async download(
    updates: readonly FileUpdate[],
    failures: Map<string, CwError>,
  ): Promise<readonly LinkChange[] | null> {
    const { placing } = this.options;
    const changes: LinkChange[] = [];
    const total = updates.length;
    for (const [index, { key, version, size }] of updates.entries()) {
      this.set({ progress: { done: index, total, isChanging: false } });
      // A file that several links show is there already the second time.
      try {
        const delivered = await placing.download({ ...version, type: null }, size);
        if (!delivered) {
          return null;
        }
        changes.push({ key, ...delivered });
      } catch (error) {
        if (error instanceof CancelledError) {
          throw error;
        }
        failures.set(key, toCwError(error, 'CW-818', 'the file was not downloaded'));
      }
      throwIfCancelled(this.cancelling.signal);
    }
    return changes;
  }

  /** @returns how many were replaced */
  private async relink(
    host: PlacedFileUpdates,
    front: string,
    changes: readonly LinkChange[],
    failures: Map<string, CwError>,
  ): Promise<number> {
    const outcomes = await host.relink(front, changes, this.options.stepName(changes.length));
    for (const { key, error } of outcomes) {
      if (error) {
        failures.set(key, error);
      }
    }
    return outcomes.filter(({ error }) => error === null).length;
  }

  private set(change: Partial<PlacedUpdatesState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
