export { guestKey, permissionOfLink } from './public/handler.js';
export type { ShareTable } from './share-table.js';
