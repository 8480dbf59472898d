import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { prepared } from '../../kernel/database/prepared.js';
import { SingleFlight } from '../../kernel/single-flight.js';
import { queueDeletion, type UploadStorage } from '../uploads/index.js';
import type { ImageWorker } from './image-worker.js';
import {
  readThumbnail,
  toPicture,
  type PendingPhoto,
  type ThumbnailPicture,
} from './thumbnail-table.js';
import type { ThumbnailWorker } from './thumbnail-worker.js';

/** Raise it when watermarks look different: they are made again. */
const WATERMARK_VERSION = 1;

/** How many photos may wait to be marked before a guest requests them. */
const MAX_WAITING = 10_000;

/** A photo whose preview can be marked. */
export interface MarkablePhoto extends PendingPhoto {
  readonly preview: { readonly size: number; readonly version: number } | undefined;
}

/** The pictures of a photo with a watermark. */
export interface Watermarked {
  readonly thumbnail: ThumbnailPicture;
  /** The size of the preview, in bytes. */
  readonly size: number;
}

export interface WatermarksDeps {
  readonly database: Queryable;
  readonly store: Pick<UploadStorage, 'readPreview' | 'readThumbnail' | 'writePreview'>;
  readonly imageWorker: Pick<ImageWorker, 'mark'>;
  readonly thumbnailWorker: Pick<ThumbnailWorker, 'remake'>;
  readonly reportError: (error: unknown) => void;
}

const FIND = prepared(
  `SELECT encode(thumbnail, 'base64') AS thumbnail, thumbnail_bytes, preview_bytes FROM watermarked_pictures
    WHERE upload_id = $1 AND mark = $2`,
);
const SIZES = prepared(
  `SELECT upload_id, mark, preview_bytes FROM watermarked_pictures
    WHERE upload_id = ANY (${idArray('$1')})`,
);
const KEEP = prepared(
  `INSERT INTO watermarked_pictures (upload_id, mark, thumbnail_bytes, preview_bytes)
   SELECT id, $2, $3, $4 FROM uploads WHERE id = $1
   ON CONFLICT (upload_id) DO UPDATE
      SET mark = excluded.mark, thumbnail = NULL, thumbnail_bytes = excluded.thumbnail_bytes,
          preview_bytes = excluded.preview_bytes
   RETURNING upload_id`,
);

/** Names a text in the address of a picture that is marked with it. */
export function watermarkTag(text: string): string {
  return createHash('sha256')
    .update(`${WATERMARK_VERSION}\n${text}`)
    .digest('base64url')
    .slice(0, 12);
}

/**
 * Previews and thumbnails with the name of the studio over them. They are made when somebody wants them, and are kept next
 * to the preview. Two processes may make the same one: the last one counts.
 */
export class Watermarks {
  private readonly making = new SingleFlight<Watermarked | undefined>();
  /** The photos to be marked in the background, by id, with the text. */
  private readonly waiting = new Map<string, readonly [MarkablePhoto, string]>();
  private working: Promise<void> | undefined;
  private isClosed = false;

  constructor(private readonly deps: WatermarksDeps) {}

  /**
   * The marked pictures of a photo. They are made if there are none.
   * @returns undefined when they cannot be made
   */
  async of(photo: MarkablePhoto, text: string): Promise<Watermarked | undefined> {
    const mark = markOf(photo, text);
    const [row] = await this.deps.database.query<{
      thumbnail: string | null;
      thumbnail_bytes: number | null;
      preview_bytes: number | null;
    }>(FIND, [photo.id, mark]);
    if (row === undefined) {
      return this.remake(photo, text);
    }
    const thumbnail = toPicture(row.thumbnail, row.thumbnail_bytes);
    return thumbnail === undefined || row.preview_bytes === null
      ? undefined
      : { thumbnail, size: row.preview_bytes };
  }

  /** The marked thumbnail of a photo. A lost one is made again. */
  async thumbnail(photo: MarkablePhoto, text: string): Promise<Buffer | undefined> {
    const found = await this.of(photo, text);
    const bytes = found && (await this.readThumbnail(photo.id, found.thumbnail));
    if (found === undefined || bytes !== undefined) {
      return bytes;
    }
    const made = await this.remake(photo, text);
    return made && this.readThumbnail(photo.id, made.thumbnail);
  }

  /** The marked preview of a photo. A lost one is made again. */
  async preview(
    photo: MarkablePhoto,
    text: string,
  ): Promise<{ readonly bytes: Readable; readonly size: number } | undefined> {
    const found = await this.of(photo, text);
    const bytes = found && (await this.read(photo.id, found.size));
    if (found === undefined || bytes !== undefined) {
      return found && bytes && { bytes, size: found.size };
    }
    const made = await this.remake(photo, text);
    const again = made && (await this.read(photo.id, made.size));
    return made && again && { bytes: again, size: made.size };
  }

  /** The bytes of a marked preview; undefined when there is none of this size. */
  read(id: string, size: number): Promise<Readable | undefined> {
    return this.deps.store.readPreview(id, size, 'watermarked');
  }

  /** How large the marked previews are, by the ids of the photos. `missing` are those that can still be made. */
  async sizes<Photo extends MarkablePhoto>(
    photos: readonly Photo[],
    text: string,
  ): Promise<{ readonly sizes: ReadonlyMap<string, number>; readonly missing: readonly Photo[] }> {
    const rows = await this.deps.database.query<{
      upload_id: string;
      mark: string;
      preview_bytes: number | null;
    }>(SIZES, [JSON.stringify(photos.map(({ id }) => id))]);
    const tried = new Map(rows.map((row) => [`${row.upload_id} ${row.mark}`, row.preview_bytes]));
    const keyOf = (photo: Photo): string => `${photo.id} ${markOf(photo, text)}`;
    const sizes = photos.flatMap((photo) => {
      const size = tried.get(keyOf(photo)) ?? undefined;
      return size === undefined ? [] : [[photo.id, size] as const];
    });
    const missing = photos.filter(
      (photo) => photo.preview !== undefined && !tried.has(keyOf(photo)),
    );
    return { sizes: new Map(sizes), missing };
  }

  /** Marks photos in the background, one at a time. */
  prepare(photos: readonly MarkablePhoto[], text: string): void {
    for (const photo of photos) {
      if (this.waiting.size < MAX_WAITING && photo.preview !== undefined) {
        this.waiting.set(photo.id, [photo, text]);
      }
    }
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  /** Stops the work in the background; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.waiting.clear();
    await this.working;
  }

  private async work(): Promise<void> {
    for (const [id, [photo, text]] of this.waiting) {
      this.waiting.delete(id);
      await this.of(photo, text).catch(this.deps.reportError);
    }
  }

  private readThumbnail(id: string, picture: ThumbnailPicture): Promise<Buffer | undefined> {
    return readThumbnail(this.deps.store, id, picture, 'watermarked-thumbnail');
  }

  private remake(photo: MarkablePhoto, text: string): Promise<Watermarked | undefined> {
    return this.isClosed
      ? Promise.resolve(undefined)
      : this.making.run(`${photo.id} ${markOf(photo, text)}`, () => this.make(photo, text));
  }

  private async make(photo: MarkablePhoto, text: string): Promise<Watermarked | undefined> {
    const { store, imageWorker, thumbnailWorker, database } = this.deps;
    const { id, preview } = photo;
    if (preview === undefined) {
      return undefined;
    }
    const stored = await store.readPreview(id, preview.size);
    if (stored === undefined) {
      await thumbnailWorker.remake(photo);
      return undefined;
    }
    const result = await imageWorker.mark(photo.workspaceId, await buffer(stored), text);
    if (result === 'no library' || result === 'full' || this.isClosed) {
      return undefined;
    }
    const pictures = result === 'broken' ? undefined : result.pictures;
    if (pictures !== undefined) {
      await Promise.all([
        store.writePreview(id, pictures.preview, 'watermarked'),
        store.writePreview(id, pictures.thumbnail, 'watermarked-thumbnail'),
      ]);
    }
    const kept = await database.query(KEEP, [
      id,
      markOf(photo, text),
      pictures?.thumbnail.length ?? null,
      pictures?.preview.length ?? null,
    ]);
    if (kept.length === 0) {
      // The photo is gone. Its marked pictures are removed later.
      await queueDeletion(database, id);
      return undefined;
    }
    return (
      pictures && {
        thumbnail: { size: pictures.thumbnail.length },
        size: pictures.preview.length,
      }
    );
  }
}

/** Names the text and the preview that is marked with it. */
function markOf({ preview }: MarkablePhoto, text: string): string {
  return `${watermarkTag(text)}.${preview?.version ?? 0}`;
}
