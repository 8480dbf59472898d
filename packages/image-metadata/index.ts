export { ByteReader } from './byte-reader.js';
export type { ByteSource } from './byte-source.js';
export { findLocation, type LocationSearch } from './location/find-location.js';
export { SEARCH_LIMITS, type UnsearchableReason } from './location/search.js';
export { applyPatches, MAX_PATCH_BYTES, MAX_PATCHES, type Patch } from './patches.js';
export type { ReadLimits } from './windowed-source.js';
