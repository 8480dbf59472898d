export { toSentLocation } from './file-location.js';
export { shownPages, type PageRenderer } from './documents/page-renderer.js';
export { StoredLocations } from './stored-locations.js';
export { hasZone, PICTURE_TYPE } from './image-info.js';
export { MAX_DURATION, MAX_PAGES, type MediaInfo } from './media-info.js';
export type { PictureInfo } from './picture-info.js';
export { UNKNOWN_TYPE, mediaTypeOf } from './media-type.js';
export {
  readThumbnail,
  toThumbnail,
  withThumbnails,
  type Thumbnail,
  type ThumbnailRow,
} from './thumbnail-table.js';
export type { ImageWorker } from './image-worker.js';
export type { Watermarks } from './watermarks.js';
export type { ThumbnailWorker } from './thumbnail-worker.js';
