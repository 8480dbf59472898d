export type { ReportsPanel } from './panel.js';
export { startReports } from './start.js';
