export type { LinksNeeds, LinksPanel } from './panel.js';
export type { ShareTarget } from './share-links.js';
export { openShareSheet } from './share-sheet.js';
export {
  DEFAULT_DAYS,
  type Shared,
  type SharedBatch,
  canShare,
  selectedTarget,
  shareTargetOf,
} from './share-target.js';
export { startLinks } from './start.js';
