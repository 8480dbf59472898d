export { pictureVersion, showToGuest } from './guest-pictures.js';
export { guestKey } from './guest-downloads.js';
export { permissionOfLink } from './link-permission.js';
export { removesLocation } from './share.js';
export type { ShareTable } from './share-table.js';
export {
  patchesWithoutLocation,
  sendLocationProblem,
  type LocationDeps,
} from './location-removal.js';
