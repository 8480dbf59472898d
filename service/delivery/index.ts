/** How photos reach clients: links with their pages, receipts, logos, the host of stored files. Other modules import from this file only. */
export { delivery } from './module.js';
export { startDelivery, type Delivery } from './start.js';
export { logoForm } from './logos/logo-setting.js';
export { LogoTable, type LogoOnPage } from './logos/logo-table.js';
export { ReceiptKeys, rotateReceiptKey } from './receipts/receipt-keys.js';
