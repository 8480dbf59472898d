import type { MemoryDatabase } from '../../support/memory-databases.js';

/**
 * Opens a copy, in memory, of the embedded database in `folder`, which nobody may change. Within a test it is
 * of the process that runs tests; only bytes go to and fro.
 */
export async function openCopyInMemory(folder: string): Promise<MemoryDatabase> {
  const kept = globalThis.keptByWorker ?? (await import('../../support/memory-databases.js'));
  return kept.openCopyInMemory(folder);
}
