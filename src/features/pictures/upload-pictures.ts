import type { RequestQueue } from '../../api/request-queue.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, isTransient } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

export interface UploadPicturesOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the uploads. */
  readonly endpoint: string;
  readonly clock: Clock;
}

/** How many pictures are kept. Each has 24 KiB at most. */
export const MAX_PICTURES = 240;
/** How many are read at once: uploads need places, too. */
export const MAX_READING = 2;
const MAX_ANSWER_LENGTH = 64 * 1024;
/** Milliseconds until a picture is requested again that is not made yet, or that failed in passing; each time longer. */
const AGAIN_MS = [2_000, 20_000, 60_000];

/**
 * Small pictures of files and pages at the service, for those that are in the page. What is scrolled past is not read.
 * Those shown longest ago are dropped.
 */
export class UploadPictures {
  private readonly count = new Observable(0);
  /** By address, the one held last at the end. Null where there is no picture. */
  private readonly kept = new Map<string, string | null>();
  /** How many elements show each. */
  private readonly held = new Map<string, number>();
  private readonly waiting = new Set<string>();
  private readonly reading = new Map<string, CancelSource>();
  /** How often a missing picture was requested again, by address. */
  private readonly repeats = new Map<string, number>();

  /** Another number after each picture that has come. */
  readonly changes: ReadableObservable<number> = this.count;

  constructor(private readonly options: UploadPicturesOptions) {}

  /** The picture as a `data:` URL; null while there is none. @param page  1 for the first; null for the file */
  of(upload: string, page: number | null = null): string | null {
    return this.kept.get(addressOf(upload, page)) ?? null;
  }

  /** Reads the picture, and keeps it. @returns call it when no element shows the picture any longer */
  hold(upload: string, page: number | null = null): () => void {
    const address = addressOf(upload, page);
    this.held.set(address, (this.held.get(address) ?? 0) + 1);
    const known = this.kept.get(address);
    if (known === undefined) {
      if (this.reading.get(address)?.signal.cancelled !== false) {
        this.waiting.add(address);
        this.readWaiting();
      }
    } else {
      this.kept.delete(address);
      this.kept.set(address, known);
    }
    return () => {
      this.release(address);
    };
  }

  /** Forgets all: they belong to a session. */
  clear(): void {
    this.kept.clear();
    this.repeats.clear();
    this.waiting.clear();
    for (const source of this.reading.values()) {
      source.cancel();
    }
  }

  private release(address: string): void {
    const others = (this.held.get(address) ?? 0) - 1;
    if (others > 0) {
      this.held.set(address, others);
      return;
    }
    this.held.delete(address);
    this.waiting.delete(address);
    this.reading.get(address)?.cancel();
    this.readWaiting();
  }

  private readWaiting(): void {
    for (const address of this.waiting) {
      if (this.reading.size >= MAX_READING || !this.makeRoom()) {
        return;
      }
      if (!this.reading.has(address)) {
        this.waiting.delete(address);
        void this.read(address);
      }
    }
  }

  /** Drops the one that was held longest ago. @returns false when all of them are held */
  private makeRoom(): boolean {
    if (this.kept.size + this.reading.size < MAX_PICTURES) {
      return true;
    }
    for (const address of this.kept.keys()) {
      if (!this.held.has(address)) {
        this.repeats.delete(address);
        return this.kept.delete(address);
      }
    }
    return false;
  }

  private async read(address: string): Promise<void> {
    const source = new CancelSource();
    this.reading.set(address, source);
    try {
      const url = await this.request(address, source);
      if (!source.signal.cancelled) {
        this.keep(address, url);
      }
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        this.keep(address, null);
        if (error instanceof CwError && isTransient(error)) {
          this.readAgain(address);
        }
      }
    }
    this.reading.delete(address);
    this.readWaiting();
  }

  private async request(address: string, { signal }: CancelSource): Promise<string | null> {
    const { requests, endpoint } = this.options;
    const { status, text } = await requests.send(
      {
        method: 'GET',
        url: `${endpoint}/${address}`,
        headers: { Accept: 'application/json' },
        maxResponseLength: MAX_ANSWER_LENGTH,
        // One that always fails must not keep the others waiting.
        repeatable: false,
      },
      signal,
    );
    if (status === 204 && !signal.cancelled) {
      this.readAgain(address);
    }
    const data = textField(parseJsonObject(text) ?? {}, 'data') ?? '';
    return status === 200 && /^[\w+/]+=*$/.test(data) ? `data:image/jpeg;base64,${data}` : null;
  }

  private readAgain(address: string): void {
    const repeats = this.repeats.get(address) ?? 0;
    const wait = AGAIN_MS[repeats];
    if (wait === undefined) {
      return;
    }
    this.repeats.set(address, repeats + 1);
    this.options.clock.startTimer(wait, () => {
      if (this.kept.get(address) === null && this.kept.delete(address) && this.held.has(address)) {
        this.waiting.add(address);
        this.readWaiting();
      }
    });
  }

  private keep(address: string, url: string | null): void {
    this.kept.set(address, url);
    if (url !== null) {
      this.count.set(this.count.get() + 1);
    }
  }
}

function addressOf(upload: string, page: number | null): string {
  return `${upload}/thumbnail${page === null ? '' : `?page=${page}`}`;
}
