import type { Queryable } from '../../../kernel/database/database.js';
import { prepared } from '../../../kernel/database/prepared.js';
import { toThumbnail, withThumbnails, type Thumbnail, type ThumbnailRow } from '../../previews/index.js';
import type { Photo } from './photo.js';
import { CURRENT_VERSION, EPOCH, ONE_PHOTO, toPhoto, type PhotoRow } from './photo-row.js';

const FIND = prepared(withThumbnails(ONE_PHOTO));
const FIND_CURRENT = prepared(withThumbnails(CURRENT_VERSION));

/** A photo and its thumbnail. */
export interface ShownPhoto {
  readonly photo: Photo;
  readonly thumbnail: Thumbnail;
}

/** Photos with their thumbnails. */
export class PhotoThumbnails {
  constructor(private readonly database: Queryable) {}

  /** A completed upload, even in the trash, and its thumbnail. */
  find(id: string, now: Date): Promise<ShownPhoto | undefined> {
    return this.query(FIND, id, now);
  }

  /** Like {@link PhotoThumbnails.find}, for the current version of the photo that this upload is a version of. */
  findCurrent(id: string, now: Date): Promise<ShownPhoto | undefined> {
    return this.query(FIND_CURRENT, id, now);
  }

  private async query(statement: string, id: string, now: Date): Promise<ShownPhoto | undefined> {
    const [row] = await this.database.query<PhotoRow & ThumbnailRow>(statement, [id, EPOCH, now]);
    return row && { photo: toPhoto(row), thumbnail: toThumbnail(row) };
  }
}
