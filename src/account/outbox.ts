import { CancelSource, type CancelSignal } from '../util/cancel.js';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.js';
import { Observable, type ReadableObservable } from '../util/observable.js';
import type { RecordStore } from '../host/storage.js';

export interface OutboxOptions<T extends object> {
  readonly records: Pick<RecordStore, 'put'>;
  /** Of its record. */
  readonly key: string;
  /** How many entries can wait; beyond, the oldest are dropped. */
  readonly max: number;
  /** Whether an entry can be sent now: it is the connected account's, and the session has the permission. */
  readonly canSend: (id: string, entry: T) => boolean;
  /** @returns whether the service has it, or never takes it */
  readonly send: (id: string, entry: T, signal: CancelSignal) => Promise<boolean>;
  /** What is still to be sent of an entry, after `sent` was sent; null for nothing. */
  readonly remaining: (now: T, sent: T) => T | null;
  /** Reads a stored entry; null for anything else. */
  readonly read: (value: JsonObject) => T | null;
}

/**
 * Small changes for the service, kept in storage until it has them. They are sent one after the other. After a failure they
 * wait for the next `put`, `start` or `send`.
 */
export class Outbox<T extends object> {
  private readonly store = new Observable<ReadonlyMap<string, T>>(new Map());
  private isRestored = false;
  private hasSession = false;
  private running: CancelSource | null = null;

  /** By their ids. */
  readonly pending: ReadableObservable<ReadonlyMap<string, T>> = this.store;

  constructor(private readonly options: OutboxOptions<T>) {}

  /** Takes over what an earlier run left. What was done in this run stays. */
  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    const found = this.read(records.get(this.options.key) ?? '');
    this.store.set(new Map([...found, ...this.store.get()]));
    this.send();
  }

  /** Stores an entry, then sends it. @throws {CwError} CW-702 to CW-704; it is then sent in this run only */
  async put(id: string, entry: T): Promise<void> {
    this.set(id, entry);
    try {
      await this.save();
    } finally {
      this.send();
    }
  }

  /** To be called when there is a session. */
  start(): void {
    this.hasSession = true;
    this.send();
  }

  /** Sends what waits. Returns at once. */
  send(): void {
    if (!this.hasSession || this.running || !this.next()) {
      return;
    }
    const running = new CancelSource();
    this.running = running;
    void this.sendAll(running.signal).then((areSent) => {
      if (this.running === running) {
        this.running = null;
        // Something may have been added since the last look.
        if (areSent) {
          this.send();
        }
      }
    });
  }

  /** Ends {@link Outbox.start}: the next session may be another account's. */
  stop(): void {
    this.hasSession = false;
    this.running?.cancel();
    this.running = null;
  }

  /** @returns whether nothing waits any more */
  private async sendAll(signal: CancelSignal): Promise<boolean> {
    for (let next = this.next(); next; next = this.next()) {
      const [id, sent] = next;
      if (!(await this.options.send(id, sent, signal)) || signal.cancelled) {
        return false;
      }
      // What the user did in the meantime is still to be sent.
      const now = this.store.get().get(id);
      this.set(id, now ? this.options.remaining(now, sent) : null);
      await this.save().catch(() => undefined);
    }
    return true;
  }

  private next(): readonly [string, T] | null {
    return [...this.store.get()].find(([id, entry]) => this.options.canSend(id, entry)) ?? null;
  }

  private set(id: string, entry: T | null): void {
    const next = new Map(this.store.get());
    next.delete(id);
    if (entry) {
      next.set(id, entry);
    }
    const [oldest] = next.keys();
    if (next.size > this.options.max && oldest !== undefined) {
      next.delete(oldest);
    }
    this.store.set(next);
  }

  private async save(): Promise<void> {
    if (this.isRestored) {
      await this.options.records.put(this.options.key, JSON.stringify([...this.store.get()]));
    }
  }

  private read(text: string): (readonly [string, T])[] {
    const entries: unknown = parseJsonObject(`{"entries":${text === '' ? '[]' : text}}`)?.[
      'entries'
    ];
    return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => {
      const [id, value] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
      const read = isJsonObject(value) ? this.options.read(value) : null;
      return typeof id === 'string' && read ? [[id, read] as const] : [];
    });
  }
}
