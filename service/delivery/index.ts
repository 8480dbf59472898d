/** How photos reach clients: links with their pages, receipts, logos, the host of stored files. Other modules import from this file only. */
export { delivery } from './module.js';
export { contentRoutes } from './content/content-host.js';
export { logoForm } from './logos/logo-setting.js';
export { LogoTable, type LogoOnPage } from './logos/logo-table.js';
export { logoRoutes, type LogoRoutesDeps } from './logos/routes.js';
export { ReceiptKeys, rotateReceiptKey } from './receipts/receipt-keys.js';
export { ReceiptWriter } from './receipts/receipt-writer.js';
export { receiptRoutes, type ReceiptRoutesDeps } from './receipts/routes.js';
export { shareApiRoutes, type ShareApiDeps } from './shares/api.js';
export { expireShares } from './shares/expired-shares.js';
export { GuestCookie } from './shares/guest-cookie.js';
export { shareRoutes, type ShareRoutesDeps } from './shares/routes.js';
export { ShareCookie } from './shares/share-cookie.js';
export { SharePasswords } from './shares/share-passwords.js';
export { ShareTable } from './shares/share-table.js';
