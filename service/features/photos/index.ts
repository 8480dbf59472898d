export { formatPlace, parseCursor } from './data/photo-query.js';
export { placeOf, type Page, type PhotoFilter, type PhotoTable } from './data/photo-table.js';
export type { Photo } from './data/photo.js';
export {
  permissionOf,
  sendPhotoWhilePermitted,
  type Permission,
  type RecheckDeps,
} from './files/download-permission.js';
export { disposition, sendFile, setFileHeaders } from './files/send-file.js';
export { locationPatches } from './files/without-location.js';
export { isOfVersion, showPicture, type PictureDeps } from './files/picture.js';
export { pictureImage, type PictureAddresses } from './pages/picture-image.js';
export { chosenForShare } from './pages/chosen-for-share.js';
export { SELECTION_BODY_BYTES } from './pages/selection.js';
export { listData } from './pages/gallery.js';
export { shapeClass } from './pages/shape-class.js';
export { viewerTemplate } from './pages/viewer-template.js';
export { MAX_IN_ZIP } from './files/zip-plan.js';
export { describeZip, sendZip, zipNameOf, type NoZip, type SendZipDeps } from './files/zip.js';
