import {
  findLocation as search,
  SEARCH_LIMITS,
  type ByteSource,
  type ReadLimits,
} from '../../../packages/image-metadata/index.js';
import { toSentLocation, type SentLocation } from './file-location.js';

/** How much is read of a file that is in remote storage: `image-process.ts` limits how much is read of it in all. */
const REMOTE_LIMITS: ReadLimits = { ...SEARCH_LIMITS, bytes: 256 * 1024 * 1024 };

/**
 * Finds what to replace in a file to remove its location. A hostile file may take long or much memory: call this only in a
 * process that can be killed.
 * @param isWhole whether the whole file is on this machine
 */
export async function findLocation(source: ByteSource, isWhole: boolean): Promise<SentLocation> {
  return toSentLocation(await search(source, isWhole ? SEARCH_LIMITS : REMOTE_LIMITS));
}
