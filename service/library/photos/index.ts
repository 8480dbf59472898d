export { formatPlace, parseCursor } from './data/photo-query.js';
export { UploadApiRepository } from './api/upload-api-repository.js';
export {
  placeOf,
  type ListedPhoto,
  type Page,
  type PhotoFilter,
  type PhotoTable,
} from './data/photo-table.js';
export type { Photo } from './data/photo.js';
export {
  permissionOf,
  sendPhotoWhilePermitted,
  type Permission,
  type RecheckDeps,
} from './files/download-permission.js';
export { refuseDownload } from './files/download.js';
export { disposition, sendFile, setFileHeaders } from './files/send-file.js';
export {
  isOfVersion,
  showPicture,
  showWatermarked,
  type GuestPictureDeps,
} from './files/picture.js';
export type { ShownPhoto } from './data/photo-thumbnails.js';
export { pictureImage, previewMissing, type PictureAddresses } from './pages/picture-image.js';
export { chosenForShare } from './pages/chosen-for-share.js';
export { photoErrorPage, photoNotFoundPage } from './pages/not-found-page.js';
export { photosOfList } from './pages/photos-of-list.js';
export { SELECTION_BODY_BYTES } from './pages/selection.js';
export { listData } from './pages/gallery.js';
export { tileAttributes } from './pages/tile-attributes.js';
export { viewerTemplate } from './pages/viewer-template.js';
export { MAX_IN_ZIP } from './files/zip-plan.js';
export { describeZip, fileNameOf, sendZip, type NoZip, type SendZipDeps } from './files/zip.js';
export type { ZipNote } from './files/zip-plan.js';
