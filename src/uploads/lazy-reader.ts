import type { Spool, SpoolReader } from '../host/host.js';

/**
 * A reader that opens a photo's copy only when its first byte is needed: an upload that turns out to be
 * complete at the service already needs none.
 */
export function readWhenNeeded(spool: Spool, id: string): SpoolReader {
  let opening: Promise<SpoolReader> | null = null;
  const opened = (): Promise<SpoolReader> => (opening ??= spool.open(id));
  return {
    async read(start, end) {
      return (await opened()).read(start, end);
    },
    async *pieces(start, end) {
      yield* (await opened()).pieces(start, end);
    },
    async close() {
      const reader = await opening?.catch(() => null);
      await reader?.close();
    },
  };
}
