export type { ReceiptsPanel } from './panel.js';
export { receiptEntry, receiptTargetOf } from './receipt-entry.js';
export { startReceipts } from './start.js';
