import { fromUint8Array } from 'js-base64';
import type { PictureScaler } from '../../host/host.js';
import type { Spool, SpoolReader } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';
import { sleep, type Clock } from '../../util/clock.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { inspectFile } from './inspect-file.js';
import type { PhotoRecord, UploadItem } from '../queue/index.js';

export interface PicturesOptions {
  readonly spool: Spool;
  readonly clock: Clock;
  /** `host.pictureScaler` */
  readonly scaler: PictureScaler | null;
  /** The photo's row; null when it has none any more. */
  readonly itemOf: (id: string) => UploadItem | null;
}

/** Characters of all thumbnails together: one byte each. */
export const MAX_PICTURE_CHARACTERS = 8 * 1024 * 1024;

/** Rows that wait for their thumbnail. When someone scrolls on, those passed first are dropped. */
const MAX_WAITING = 40;

/**
 * Milliseconds before each file is read, so that the panel is drawn first: so many times those that the last one took,
 * so that uploads have the processor. At least and at most.
 */
const REST = { times: 10, leastMs: 30, mostMs: 300 };

/** Longer side of a thumbnail that is made, in pixels. */
const THUMBNAIL_PIXELS = 240;

/** Longest file that is scaled. Bytes. */
const MAX_SCALED_BYTES = 48 * 1024 * 1024;

/** Longest file that is its own thumbnail in a host without a decoder, and the types that every host shows. Bytes. */
const MAX_SHOWN_BYTES = 512 * 1024;
const SHOWN_TYPES = ['image/jpeg', 'image/png', 'image/gif'];

/**
 * Thumbnails of the photos on the list, as `data:` URLs for `img` elements. They are read in the background, one at a
 * time, and only for rows that are shown. What fails has no thumbnail.
 *
 * Memory is bounded. The thumbnails shown longest ago are dropped, first those that can be read again from the spool.
 */
export class Pictures {
  private readonly count = new Observable(0);
  /** In the order of being shown, the latest last. */
  private readonly urls = new Map<string, string>();
  private characters = 0;
  /** Photos that have no thumbnail. */
  private readonly without = new Set<string>();
  private readonly waiting = new Set<string>();
  /** The rows of the last drawing. */
  private readonly drawn = new Set<string>();
  private isDrawing = false;
  /** Photos whose thumbnails found no room beside those of drawn rows. Read again when there may be room. */
  private readonly crowdedOut = new Set<string>();
  private isReading = false;

  /** Counts the thumbnails that have come. */
  readonly changes: ReadableObservable<number> = this.count;

  constructor(private readonly options: PicturesOptions) {}

  /**
   * A photo's thumbnail. Null while there is none: then it is read, and `changes` counts on when it is there. Call it for
   * the rows that are shown, at each drawing.
   */
  thumbnailOf(id: string): string | null {
    if (!this.isDrawing) {
      this.isDrawing = true;
      this.drawn.clear();
      // A drawing is synchronous.
      void Promise.resolve().then(() => {
        this.isDrawing = false;
      });
    }
    this.drawn.add(id);
    const url = this.urls.get(id);
    if (url !== undefined) {
      this.urls.delete(id);
      this.urls.set(id, url);
      return url;
    }
    if (!this.without.has(id) && !this.crowdedOut.has(id) && this.hasCopy(id)) {
      this.waiting.add(id);
      this.dropFirstWaiting();
      void this.readWaiting();
    }
    return null;
  }

  /**
   * The identity of the document in a copy, see `inspectFile`. Its preview becomes the thumbnail, so that the file is read
   * once. Null also for a copy that cannot be read; never rejects.
   * @param size  bytes of the copy
   */
  async identify(id: string, size: number): Promise<string | null> {
    try {
      const { documentId, preview } = await this.whileOpen(id, (reader) =>
        inspectFile(reader, size),
      );
      if (preview && !this.urls.has(id)) {
        this.add(id, urlOf('image/jpeg', preview));
      }
      return documentId;
    } catch {
      return null;
    }
  }

  /** The copies of uploaded photos are deleted. */
  private hasCopy(id: string): boolean {
    const item = this.options.itemOf(id);
    return item !== null && item.phase !== 'uploaded';
  }

  private dropFirstWaiting(): void {
    const [first] = this.waiting;
    if (first !== undefined && this.waiting.size > MAX_WAITING) {
      this.waiting.delete(first);
    }
  }

  private async readWaiting(): Promise<void> {
    if (this.isReading) {
      return;
    }
    this.isReading = true;
    const { clock } = this.options;
    for (let tookMs = 0; ;) {
      await sleep(clock, Math.min(Math.max(REST.leastMs, REST.times * tookMs), REST.mostMs));
      const [id] = this.waiting;
      if (id === undefined) {
        break;
      }
      this.waiting.delete(id);
      const began = clock.now();
      await this.read(id);
      tookMs = clock.now() - began;
    }
    this.isReading = false;
  }

  private async read(id: string): Promise<void> {
    const item = this.options.itemOf(id);
    if (!item || this.urls.has(id)) {
      return;
    }
    const url = await this.thumbnailIn(item.record).catch(() => null);
    if (url === null) {
      this.without.add(id);
    } else {
      this.add(id, url);
    }
  }

  /** @throws {CwError} CW-607, CW-702 */
  private async thumbnailIn({ id, size, type }: PhotoRecord): Promise<string | null> {
    // A layout or a film: the app has made a picture.
    const made = await this.options.spool.picture?.(id);
    if (made) {
      return urlOf('image/jpeg', made);
    }
    return this.whileOpen(id, async (reader) => {
      const { preview } = await inspectFile(reader, size);
      return preview ? urlOf('image/jpeg', preview) : this.wholeAsThumbnail(reader, size, type);
    });
  }

  /** @throws {CwError} CW-607, CW-702, and what `work` throws */
  private async whileOpen<T>(id: string, work: (reader: SpoolReader) => Promise<T>): Promise<T> {
    const reader = await this.options.spool.open(id);
    try {
      return await work(reader);
    } finally {
      await reader.close();
    }
  }

  private async wholeAsThumbnail(
    reader: SpoolReader,
    size: number,
    type: string,
  ): Promise<string | null> {
    const { scaler } = this.options;
    if (scaler) {
      return size <= MAX_SCALED_BYTES
        ? scaler.scale(await reader.read(0, size), THUMBNAIL_PIXELS)
        : null;
    }
    return size > 0 && size <= MAX_SHOWN_BYTES && SHOWN_TYPES.includes(type)
      ? urlOf(type, new Uint8Array(await bytesOf(await reader.read(0, size))))
      : null;
  }

  private add(id: string, url: string): void {
    this.urls.set(id, url);
    this.characters += url.length;
    while (this.characters > MAX_PICTURE_CHARACTERS) {
      const dropped = this.leastNeeded(id);
      this.characters -= this.urls.get(dropped)?.length ?? 0;
      this.urls.delete(dropped);
      if (dropped === id) {
        // Else the drawn rows would take turns for ever.
        this.crowdedOut.add(id);
        return;
      }
      this.crowdedOut.clear();
    }
    this.count.set(this.count.get() + 1);
  }

  /** Of a row that is gone, else of a photo that has its copy, else of any photo; of `newest` if all others are drawn. */
  private leastNeeded(newest: string): string {
    const ids = [...this.urls.keys()].filter((id) => id !== newest);
    const unseen = ids.filter((id) => !this.drawn.has(id));
    return (
      ids.find((id) => this.options.itemOf(id) === null) ??
      unseen.find((id) => this.hasCopy(id)) ??
      unseen[0] ??
      newest
    );
  }
}

function urlOf(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${fromUint8Array(bytes)}`;
}
