export type { PicturesPanel } from './panel.js';
export type { Pictures } from './pictures.js';
export { startPictures } from './start.js';
export { useUploadPreview } from './use-upload-preview.js';
export { useUploadPicture } from './use-upload-picture.js';
