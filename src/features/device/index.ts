export { openDeviceSheet } from './device-sheet.js';
export type { Device, DeviceIdentity } from './device.js';
export type { DevicePanel } from './panel.js';
export { startDevice } from './start.js';
