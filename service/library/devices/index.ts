export type { DeviceTable, StoredReport } from './device-table.js';
export { waitingPhotos } from './waiting-photos.js';
