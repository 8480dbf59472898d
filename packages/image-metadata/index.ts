export type { ByteSource } from './byte-source.js';
export { findLocation, type LocationSearch } from './find-location.js';
export { applyPatches, MAX_PATCH_BYTES, MAX_PATCHES, type Patch } from './patches.js';
export { SEARCH_LIMITS, type SearchLimits, type UnsearchableReason } from './search.js';
