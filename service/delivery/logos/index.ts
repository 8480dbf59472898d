export { logoImage } from './logo-image.js';
export { toLogo, type LogoOnPage } from './logo-table.js';
