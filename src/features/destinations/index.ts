export { Destination, openDestinations } from './destination-menu.js';
export type { Destinations } from './destinations.js';
export type { DestinationsNeeds, DestinationsPanel } from './panel.js';
export { startDestinations } from './start.js';
