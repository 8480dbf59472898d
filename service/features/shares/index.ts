export { guestKey, permissionOfLink } from './public-share-handler.js';
export type { ShareTable } from './share-table.js';
