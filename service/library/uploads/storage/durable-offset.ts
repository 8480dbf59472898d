import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { uptime } from 'node:os';

/**
 * In bytes. Before the file of an upload grows past a multiple of this, all of it is flushed to the disk. A loss of
 * power costs an unfinished upload at most twice this.
 */
export const FLUSH_EVERY_BYTES = 4 * 1024 * 1024;

/** How far the clock of a file server may be ahead of ours, in milliseconds. */
const AHEAD_MS = 3_600_000;

/**
 * How many bytes of an unfinished upload's file are certainly those that its client sent. All of them, if the file was
 * changed since this machine was started: written bytes stay, even if the process is killed. If not, the
 * power may have been lost since then, and the file may have its new length without the new bytes. The bytes before the
 * last multiple of {@link FLUSH_EVERY_BYTES} below its size are there: they were flushed before more was written.
 * @param upMs how long the machine has been running, in milliseconds.
 */
export function durableOffset(
  { size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>,
  nowMs = Date.now(),
  upMs = uptime() * 1000,
): number {
  if (mtimeMs >= nowMs - upMs && mtimeMs <= nowMs + AHEAD_MS) {
    return size;
  }
  return FLUSH_EVERY_BYTES * Math.floor(Math.max(0, size - 1) / FLUSH_EVERY_BYTES);
}

/**
 * Appends to an upload's file, and flushes it as {@link durableOffset} relies on.
 * @param offset where the first piece goes: the size of the file.
 * @returns the size of the file afterwards.
 */
export async function appendDurably(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  offset: number,
): Promise<number> {
  let end = offset;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      if (end > 0 && end % FLUSH_EVERY_BYTES === 0) {
        await file.datasync();
      }
      const room = FLUSH_EVERY_BYTES - (end % FLUSH_EVERY_BYTES);
      const length = Math.min(room, piece.length - at);
      const { bytesWritten } = await file.write(piece, at, length, end);
      at += bytesWritten;
      end += bytesWritten;
    }
  }
  return end;
}
