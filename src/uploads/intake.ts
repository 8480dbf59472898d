import { CancelledError, CancelSource, type CancelSignal } from '../base/cancel.js';
import { toCwError, type CwError, type ErrorCode } from '../base/errors.js';
import { SerialRunner } from '../base/serial.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource, Spool } from '../host/host.js';
import { bytesOf } from '../host/http.js';
import { START_BYTES } from './photo-kind.js';
import type { UploadList } from './upload-list.js';

interface RefusedPhoto {
  readonly name: string;
  readonly error: CwError;
}

export interface IntakeState {
  /** Photos being made safe after they were picked; null when none are. */
  readonly adding: { readonly done: number; readonly total: number } | null;
  /** Photos that could not be queued, the newest last. */
  readonly refused: readonly RefusedPhoto[];
}

export interface IntakeOptions {
  readonly list: UploadList;
  readonly spool: Spool;
  /** Why a file should not be sent unasked, by its name and its first {@link START_BYTES} bytes; null if it may be. */
  readonly doubtAbout: (name: string, start: Uint8Array) => ErrorCode | null;
  readonly listeners: IntakeListeners;
}

interface IntakeListeners {
  /** A photo has entered the list. */
  onQueued(): void;
  /** A photo could not be queued. */
  onRefused(error: CwError): void;
}

const MOST_REFUSED_SHOWN = 20;

/** Makes picked photos safe (copied and on the list), one by one in the order picked, and reports its progress. */
export class Intake {
  private readonly store = new Store<IntakeState>({ adding: null, refused: [] });
  private readonly turns = new SerialRunner();
  private cancelling = new CancelSource();

  readonly state: ReadableStore<IntakeState> = this.store;

  constructor(private readonly options: IntakeOptions) {}

  /** Photos are queued only after `work` has ended. */
  waitFor(work: Promise<void>): void {
    void this.turns.run(() => work);
  }

  /**
   * Queues photos; settles when all of them are queued, refused or cancelled. Never fails.
   * @param isPicked  whether a person chose the files. Only these are checked, since they may be anything
   */
  async add(photos: readonly PhotoSource[], isPicked: boolean): Promise<void> {
    if (photos.length === 0) {
      return;
    }
    const { list, listeners } = this.options;
    const { signal } = this.cancelling;
    // Whoever picks files again has read the list of refused ones.
    const { adding, refused } = this.store.get();
    if (adding === null && refused.length > 0) {
      this.dismissRefused();
    }
    this.grow(photos.length);
    await this.turns.run(async () => {
      for (const photo of photos) {
        if (signal.cancelled) {
          return;
        }
        try {
          await list.enqueue(photo, signal, (id, size) =>
            isPicked ? this.findDoubt(photo.name, id, size) : Promise.resolve(null),
          );
          listeners.onQueued();
        } catch (thrown) {
          if (thrown instanceof CancelledError) {
            return;
          }
          const error = toCwError(thrown, 'CW-901', 'a photo could not be queued');
          this.refuse(photo.name, error);
          listeners.onRefused(error);
        }
        this.countOne(signal);
      }
    });
  }

  /** Settles when everything asked for so far is queued, refused or cancelled. */
  settled(): Promise<void> {
    return this.turns.run(() => Promise.resolve());
  }

  /** Stops at once, and drops photos whose turn has not come; those on the list stay. */
  cancel(): void {
    this.cancelling.cancel();
    this.cancelling = new CancelSource();
    this.set({ adding: null });
  }

  dismissRefused(): void {
    this.set({ refused: [] });
  }

  /** Checks a copy by its first bytes, which costs the same whatever its size. */
  private async findDoubt(name: string, id: string, size: number): Promise<ErrorCode | null> {
    const reader = await this.options.spool.open(id);
    try {
      const start = await reader.read(0, Math.min(size, START_BYTES));
      return this.options.doubtAbout(name, new Uint8Array(await bytesOf(start)));
    } finally {
      await reader.close();
    }
  }

  private refuse(name: string, error: CwError): void {
    this.set({
      refused: [...this.store.get().refused, { name, error }].slice(-MOST_REFUSED_SHOWN),
    });
  }

  private grow(count: number): void {
    const adding = this.store.get().adding ?? { done: 0, total: 0 };
    this.set({ adding: { ...adding, total: adding.total + count } });
  }

  private countOne(signal: CancelSignal): void {
    const { adding } = this.store.get();
    if (!adding || signal.cancelled) {
      return;
    }
    const done = adding.done + 1;
    this.set({ adding: done >= adding.total ? null : { ...adding, done } });
  }

  private set(change: Partial<IntakeState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
