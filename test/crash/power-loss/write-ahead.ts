import path from 'node:path';
import type { Entry } from './journal.js';

/** The unit in which PostgreSQL writes tables and its journal, in bytes. */
const PAGE = 8192;
const SEGMENT = /\/pg_wal\/([0-9A-F]{24})$/;
/** Files of tables and indexes. */
const TABLE = /\/base\/\d+\/\d+$/;

interface Pending {
  readonly time: number;
  readonly file: string;
  readonly at: number;
  readonly bytes: Buffer;
}

export interface WriteAhead {
  /** How many pages of tables and indexes were written that name a place in the journal. */
  readonly pages: number;
  /** Those of them whose place in the journal was not on the disk yet. */
  readonly tooEarly: readonly string[];
}

/**
 * Compares each page of a table with the journal on the disk at the time of the write. The page begins with the place
 * in the journal (LSN) of its last change.
 * @param options `segmentSize` is the size of a segment of the journal, in bytes; `from` the first operation whose page
 *   is compared.
 */
export function checkWriteAhead(
  entries: readonly Entry[],
  { segmentSize, from }: { readonly segmentSize: number; readonly from: number },
): WriteAhead {
  const opened = new Map<string, string>();
  const flushes = new Map<string, { readonly file: string; readonly time: number }>();
  const durable = new Map<string, Buffer>();
  const tooEarly: string[] = [];
  let pending: Pending[] = [];
  let pages = 0;
  const segment = (file: string): Buffer => {
    const content = durable.get(file) ?? Buffer.alloc(segmentSize);
    durable.set(file, content);
    return content;
  };
  /** The first place in the journal that is not on the disk. */
  const firstPending = (): bigint | undefined =>
    pending
      .map(({ file, at, bytes }) => {
        const known = segment(file).subarray(at, at + bytes.length);
        const changed = bytes.findIndex((byte, index) => byte !== known[index]);
        return changed === -1 ? undefined : placeOf(file, segmentSize) + BigInt(at + changed);
      })
      .filter((place) => place !== undefined)
      .sort((one, other) => (one < other ? -1 : 1))[0];

  entries.forEach(({ operation, bytes }, time) => {
    if (operation.kind === 'open') opened.set(operation.handle, `/${operation.path}`);
    if (operation.kind === 'flush begins')
      flushes.set(operation.flush, { file: opened.get(operation.handle) ?? '', time });
    if (operation.kind === 'flush ends') {
      const flush = flushes.get(operation.flush);
      const isDone = (one: Pending): boolean => one.file === flush?.file && one.time < flush.time;
      for (const one of pending.filter(isDone)) one.bytes.copy(segment(one.file), one.at);
      pending = pending.filter((one) => !isDone(one));
    }
    if (operation.kind !== 'write') return;
    const file = opened.get(operation.handle) ?? '';
    if (SEGMENT.test(file)) pending.push({ time, file, at: operation.at, bytes });
    if (time < from || !TABLE.test(file)) return;
    for (let at = 0; at < bytes.length; at += PAGE) {
      const place = (BigInt(bytes.readUInt32LE(at)) << 32n) | BigInt(bytes.readUInt32LE(at + 4));
      if (place === 0n) continue;
      pages += 1;
      const first = firstPending();
      if (first !== undefined && place > first) tooEarly.push(`${file} at ${operation.at + at}`);
    }
  });
  return { pages, tooEarly };
}

/** Where a segment begins in the journal. */
function placeOf(file: string, segmentSize: number): bigint {
  const name = path.basename(file);
  const [high, low] = [BigInt(`0x${name.slice(8, 16)}`), BigInt(`0x${name.slice(16)}`)];
  return (high << 32n) + low * BigInt(segmentSize);
}
