import type { RequestQueue } from '../../api/request-queue.js';
import { NEVER_CANCELLED } from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

export interface UploadPicturesOptions {
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  /** Address of the uploads. */
  readonly endpoint: string;
  readonly clock: Clock;
}

/** How many pictures are kept. Each has 24 KiB at most. */
export const MAX_PICTURES = 60;
const MAX_ANSWER_LENGTH = 64 * 1024;
/** Milliseconds between two requests, and until a picture that is not made yet is requested again. */
const REST_MS = 50;
const AGAIN_MS = 20_000;

/**
 * Small pictures of uploads and their pages. They are read from the service one at a time, and only for entries that are shown.
 * Of a longer list the first entries have one.
 */
export class UploadPictures {
  private readonly count = new Observable(0);
  /** By file and page. Null where there is no picture. */
  private readonly urls = new Map<string, string | null>();
  private readonly waiting = new Set<string>();
  /** Those of the last drawing. */
  private readonly drawn = new Set<string>();
  private isDrawing = false;
  private isReading = false;

  /** Another number after each picture that has come. */
  readonly changes: ReadableObservable<number> = this.count;

  constructor(private readonly options: UploadPicturesOptions) {}

  /**
   * The picture as a `data:` URL. Null while there is none: then it is read.
   * @param upload  the id of an upload
   * @param page  1 for the first
   */
  of(upload: string, page?: number): string | null {
    const address = `${upload}/thumbnail${page === undefined ? '' : `?page=${page}`}`;
    this.noteDrawn(address);
    const known = this.urls.get(address);
    if (known !== undefined) {
      return known;
    }
    if (!this.waiting.has(address) && this.makeRoom()) {
      this.waiting.add(address);
      void this.readWaiting();
    }
    return null;
  }

  /** Forgets all: they belong to a session. */
  clear(): void {
    this.urls.clear();
    this.waiting.clear();
  }

  private noteDrawn(address: string): void {
    if (!this.isDrawing) {
      this.isDrawing = true;
      this.drawn.clear();
      // A drawing is synchronous.
      void Promise.resolve().then(() => {
        this.isDrawing = false;
      });
    }
    this.drawn.add(address);
  }

  /** Drops one that is not drawn, the last in the list first. @returns false when all of them are drawn */
  private makeRoom(): boolean {
    if (this.urls.size + this.waiting.size < MAX_PICTURES) {
      return true;
    }
    const unseen = [...this.urls.keys()].filter((address) => !this.drawn.has(address));
    const last = unseen[unseen.length - 1];
    return last !== undefined && this.urls.delete(last);
  }

  private async readWaiting(): Promise<void> {
    if (this.isReading) {
      return;
    }
    this.isReading = true;
    for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
      const url = await this.read(next).catch(() => null);
      if (this.waiting.delete(next)) {
        this.keep(next, url);
      }
      await sleep(this.options.clock, REST_MS);
    }
    this.isReading = false;
  }

  private async read(address: string): Promise<string | null> {
    const { requests, endpoint } = this.options;
    const { status, text } = await requests.sendOutOfBand(
      {
        method: 'GET',
        url: `${endpoint}/${address}`,
        headers: { Accept: 'application/json' },
        maxResponseLength: MAX_ANSWER_LENGTH,
      },
      NEVER_CANCELLED,
    );
    if (status === 204) {
      this.options.clock.startTimer(AGAIN_MS, () => {
        if (this.urls.get(address) === null && this.urls.delete(address)) {
          this.count.set(this.count.get() + 1);
        }
      });
    }
    const data = textField(parseJsonObject(text) ?? {}, 'data') ?? '';
    return status === 200 && /^[\w+/]+=*$/.test(data) ? `data:image/jpeg;base64,${data}` : null;
  }

  private keep(address: string, url: string | null): void {
    this.urls.set(address, url);
    if (url !== null) {
      this.count.set(this.count.get() + 1);
    }
  }
}
