export { logoImage } from './logo-image.js';
export { logoForm } from './logo-setting.js';
export { LogoTable, toLogo, type LogoOnPage } from './logo-table.js';
