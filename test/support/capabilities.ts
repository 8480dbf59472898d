import { BASIC_CAPABILITIES, type Capabilities } from '../../src/api/capabilities.js';
import type { CapabilitySource } from '../../src/api/tus-capabilities.js';

/** A service with repeatable creations and creation-with-upload, without digests. */
export const FINDS_AGAIN: Capabilities = {
  ...BASIC_CAPABILITIES,
  creationWithUpload: true,
  clientUploadId: true,
};

/** Capabilities that were requested already. */
export function knownToDo(can: Capabilities = FINDS_AGAIN): CapabilitySource {
  return { get: () => Promise.resolve(can), invalidate: () => undefined };
}
