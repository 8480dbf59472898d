export type { PicturesPanel } from './panel.js';
export { startPictures } from './start.js';
