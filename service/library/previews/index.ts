export { toSentLocation } from './file-location.js';
export { StoredLocations } from './stored-locations.js';
export { hasZone, PICTURE_TYPE } from './image-info.js';
export type { PictureInfo } from './picture-info.js';
export { UNKNOWN_TYPE, mediaTypeOf } from './media-type.js';
export {
  readThumbnail,
  toThumbnail,
  withThumbnails,
  type Thumbnail,
  type ThumbnailRow,
} from './thumbnail-table.js';
export { watermarkTag, type Watermarks } from './watermarks.js';
export type { Logo } from './image-info.js';
export type { ImageWorker } from './image-worker.js';
export type { ThumbnailWorker as Thumbnails } from './thumbnail-worker.js';
