import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Queryable } from '../../../kernel/database/database.js';
import { prepared } from '../../../kernel/database/prepared.js';
import { SingleFlight } from '../../../kernel/single-flight.js';
import { queueDeletion, type PreviewVariant, type UploadStorage } from '../../uploads/index.js';
import type { Pictures } from '../image-info.js';
import type { ImageWorker } from '../image-worker.js';
import { withLocalCopy } from '../local-copy.js';
import type { MediaInfo } from '../media-info.js';
import { watermarkTag } from '../watermarks.js';
import { MAX_DOCUMENT_BYTES } from './document-type.js';

/** Pages behind this one have no picture, so that one document cannot fill the storage. */
const MAX_SHOWN_PAGES = 1000;

/** How many pages one job makes: a reader goes on to the next ones, and opening the document costs as much as drawing one. */
const PAGES_AT_ONCE = 8;

/** How often a page is made for one reader: the job of another one may have left it out. */
const MAX_ATTEMPTS = 2;

/** A document with pictures of its pages. */
export interface PagedDocument {
  readonly id: string;
  readonly workspaceId: string;
  /** In bytes. */
  readonly size: number;
  readonly media: MediaInfo | undefined;
  readonly preview: { readonly version: number } | undefined;
}

/** Which picture of a page. */
export interface WantedPage {
  /** From 2 on: that of the first page is the preview of the document. */
  readonly page: number;
  readonly variant: 'thumbnail' | 'preview';
  /** The text of a watermark. */
  readonly watermark: string | undefined;
}

/** A picture, with its size in bytes. */
export interface PagePicture {
  readonly bytes: Readable;
  readonly size: number;
}

export interface PagePicturesDeps {
  readonly database: Queryable;
  readonly store: Pick<UploadStorage, 'localFile' | 'readPreview' | 'readRange' | 'writePreview'>;
  readonly imageWorker: Pick<ImageWorker, 'mark' | 'pages'>;
}

interface PageRow {
  thumbnail_bytes: number | null;
  preview_bytes: number | null;
}

const FIND = prepared(
  `SELECT thumbnail_bytes, preview_bytes FROM page_pictures
    WHERE upload_id = $1 AND page = $2 AND is_marked = $3 AND mark = $4`,
);
const MADE = prepared(
  `SELECT page FROM page_pictures
    WHERE upload_id = $1 AND page BETWEEN $2 AND $3 AND NOT is_marked AND mark = $4`,
);
const KEEP = prepared(
  `INSERT INTO page_pictures (upload_id, page, is_marked, mark, thumbnail_bytes, preview_bytes)
   SELECT id, $2, $3, $4, $5, $6 FROM uploads WHERE id = $1
   ON CONFLICT (upload_id, page, is_marked) DO UPDATE
      SET mark = excluded.mark, thumbnail_bytes = excluded.thumbnail_bytes, preview_bytes = excluded.preview_bytes
   RETURNING upload_id`,
);

/** How many pages of a document have pictures; 0 for everything else, and while it has none. */
export function shownPages({ media, preview }: Pick<PagedDocument, 'media' | 'preview'>): number {
  return media?.kind === 'document' && preview !== undefined
    ? Math.min(media.pages, MAX_SHOWN_PAGES)
    : 0;
}

/**
 * The pictures of the pages of documents. They are made when somebody wants them, and are kept next to the preview. Two processes
 * may make the same one: both are the same, and the last one counts.
 */
export class PageRenderer {
  /** The pages that are being made, by id and number, and what ends the wait for each. */
  private readonly making = new Map<string, PromiseWithEnd>();
  private readonly marking = new SingleFlight();
  private readonly stopped = new AbortController();

  constructor(private readonly deps: PagePicturesDeps) {}

  /**
   * A picture of a page. It is made if there is none.
   * @returns undefined when it cannot be made
   */
  async find(document: PagedDocument, wanted: WantedPage): Promise<PagePicture | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await this.stored(document, wanted);
      if (found !== 'not made') {
        return found;
      }
      await this.make(document, wanted);
    }
    const made = await this.stored(document, wanted);
    return made === 'not made' ? undefined : made;
  }

  /** Stops the work on pages. */
  close(): void {
    this.stopped.abort();
  }

  /** A stored picture; 'not made' when there is none, or when the storage has lost it. */
  private async stored(
    document: PagedDocument,
    { page, variant, watermark }: WantedPage,
  ): Promise<PagePicture | undefined | 'not made'> {
    const mark = markOf(document, watermark);
    const isMarked = watermark !== undefined;
    const [row] = await this.deps.database.query<PageRow>(FIND, [
      ...[document.id, page, isMarked, mark],
    ]);
    if (row === undefined) {
      return 'not made';
    }
    const size = variant === 'thumbnail' ? row.thumbnail_bytes : row.preview_bytes;
    if (size === null) {
      return undefined;
    }
    const as = isMarked ? MARKED[variant] : variant;
    const bytes = await this.deps.store.readPreview(document.id, size, { page, as });
    return bytes === undefined ? 'not made' : { bytes, size };
  }

  private async make(document: PagedDocument, { page, watermark }: WantedPage): Promise<void> {
    if (watermark === undefined) {
      const running = this.making.get(keyOf(document, page));
      await (running === undefined ? this.renderPages(document, page) : running.promise);
    } else {
      await this.marking.run(`${document.id} ${page} ${watermark}`, () =>
        this.renderWatermarked(document, page, watermark),
      );
    }
  }

  /** Makes a page, and the next ones that nobody has made or makes. */
  private async renderPages(document: PagedDocument, page: number): Promise<void> {
    const own = [page];
    this.making.set(keyOf(document, page), promiseWithEnd());
    try {
      const last = Math.min(page + PAGES_AT_ONCE - 1, shownPages(document));
      const mark = markOf(document, undefined);
      const rows = await this.deps.database.query<{ page: number }>(MADE, [
        ...[document.id, page, last, mark],
      ]);
      const made = new Set(rows.map((row) => row.page));
      for (let next = page + 1; next <= last; next += 1) {
        if (!made.has(next) && !this.making.has(keyOf(document, next))) {
          this.making.set(keyOf(document, next), promiseWithEnd());
          own.push(next);
        }
      }
      await this.draw(document, own);
    } finally {
      for (const one of own) {
        this.endWait(document, one);
      }
    }
  }

  private async draw(document: PagedDocument, pages: readonly number[]): Promise<void> {
    const { imageWorker, store } = this.deps;
    const { id, size, workspaceId } = document;
    const [first = 0] = pages;
    const save = async (page: number, pictures: Pictures | undefined): Promise<void> => {
      await this.save(document, { page, watermark: undefined }, pictures);
      this.endWait(document, page);
    };
    const draw = (file: string): ReturnType<ImageWorker['pages']> =>
      imageWorker.pages(workspaceId, { file, size, pages }, save);
    const local = store.localFile(id);
    if (local === undefined && size > MAX_DOCUMENT_BYTES) {
      return;
    }
    const problem =
      local === undefined
        ? await withLocalCopy(store, { id, end: size - 1 }, this.stopped.signal, draw)
        : await draw(local);
    if (problem === 'broken' && !this.stopped.signal.aborted) {
      await this.recordMissing(document, first);
    }
  }

  private endWait(document: PagedDocument, page: number): void {
    const key = keyOf(document, page);
    this.making.get(key)?.end();
    this.making.delete(key);
  }

  /** Notes that there is no picture of a page, unless it was made before the process broke. */
  private async recordMissing(document: PagedDocument, page: number): Promise<void> {
    const wanted = { page, variant: 'preview', watermark: undefined } as const;
    const stored = await this.stored(document, wanted);
    if (stored === 'not made') {
      await this.save(document, wanted, undefined);
    } else {
      stored?.bytes.destroy();
    }
  }

  private async renderWatermarked(
    document: PagedDocument,
    page: number,
    watermark: string,
  ): Promise<void> {
    const plain = await this.find(document, { page, variant: 'preview', watermark: undefined });
    if (plain === undefined) {
      return;
    }
    const preview = await buffer(plain.bytes);
    const result = await this.deps.imageWorker.mark(document.workspaceId, preview, watermark);
    if (result === 'no library' || result === 'full' || this.stopped.signal.aborted) {
      return;
    }
    const pictures = result === 'broken' ? undefined : result.pictures;
    await this.save(document, { page, watermark }, pictures);
  }

  private async save(
    document: PagedDocument,
    { page, watermark }: Pick<WantedPage, 'page' | 'watermark'>,
    pictures: Pictures | undefined,
  ): Promise<void> {
    const { database, store } = this.deps;
    const { id } = document;
    const isMarked = watermark !== undefined;
    const write = (variant: 'thumbnail' | 'preview', bytes: Buffer): Promise<void> =>
      store.writePreview(id, bytes, { page, as: isMarked ? MARKED[variant] : variant });
    if (pictures !== undefined) {
      await Promise.all([
        write('preview', pictures.preview),
        write('thumbnail', pictures.thumbnail),
      ]);
    }
    const kept = await database.query(KEEP, [
      ...[id, page, isMarked, markOf(document, watermark)],
      pictures?.thumbnail.length ?? null,
      pictures?.preview.length ?? null,
    ]);
    if (kept.length === 0) {
      // The document is gone. Its pages are removed later.
      await queueDeletion(database, id);
    }
  }
}

const MARKED = {
  thumbnail: 'watermarked-thumbnail',
  preview: 'watermarked',
} as const satisfies Readonly<Record<string, PreviewVariant>>;

/** A promise, and what resolves it. */
interface PromiseWithEnd {
  readonly promise: Promise<void>;
  readonly end: () => void;
}

function promiseWithEnd(): PromiseWithEnd {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

function keyOf({ id }: PagedDocument, page: number): string {
  return `${id} ${page}`;
}

/** Names the version of the pictures, and the text over them. */
function markOf({ preview }: PagedDocument, watermark: string | undefined): string {
  const version = String(preview?.version ?? 0);
  return watermark === undefined ? version : `${watermarkTag(watermark)}.${version}`;
}
