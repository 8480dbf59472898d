import type { Queryable } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import { toThumbnail, withThumbnails, type Thumbnail, type ThumbnailRow } from '../../previews/index.js';
import type { Photo } from './photo.js';
import { EPOCH, ONE_PHOTO, toPhoto, type PhotoRow } from './photo-table.js';

const FIND = prepared(withThumbnails(ONE_PHOTO));

/** Photos with their thumbnails. */
export class PhotoThumbnails {
  constructor(private readonly database: Queryable) {}

  /** A photo that has arrived, even if it is in the trash, and its thumbnail. */
  async find(
    id: string,
    now: Date,
  ): Promise<{ readonly photo: Photo; readonly thumbnail: Thumbnail } | undefined> {
    const [row] = await this.database.query<PhotoRow & ThumbnailRow>(FIND, [id, EPOCH, now]);
    return row && { photo: toPhoto(row), thumbnail: toThumbnail(row) };
  }
}
