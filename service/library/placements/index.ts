export type { PlacementTable, UsedFile, Uses } from './placement-table.js';
export { placementApiRoutes } from './api.js';
export { placementsOf, SHOWN_USES, usedPage } from './pages.js';
