import { BASIC_CAPABILITIES, type Capabilities } from '../../src/api/capabilities.js';
import type { CapabilitySource } from '../../src/api/tus-capabilities.js';

/** A service that finds an upload again whose creation is repeated, takes bytes with it, and tells no digests. */
export const FINDS_AGAIN: Capabilities = {
  ...BASIC_CAPABILITIES,
  creationWithUpload: true,
  clientUploadId: true,
};

/** Somebody has asked the service already: it can do this. */
export function knownToDo(can: Capabilities = FINDS_AGAIN): CapabilitySource {
  return { get: () => Promise.resolve(can), invalidate: () => undefined };
}
