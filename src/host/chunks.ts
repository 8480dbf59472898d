import { CwError } from '../util/errors.js';

/** How many bytes are read at once: few enough to stay in the processor's cache. */
const CHUNK_BYTES = 1024 * 1024;

/** Reads from `start` to `end` (excluded) piece by piece. @throws {unknown} what `read` throws */
export async function* readChunks(
  read: (start: number, end: number) => Promise<ArrayBuffer>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    yield new Uint8Array(await read(at, Math.min(at + CHUNK_BYTES, end)));
  }
}

/** The parts of a stream of bytes used here. */
interface ByteReader {
  read(into: Uint8Array): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
  cancel(): Promise<void>;
}

interface StreamedBlob {
  stream(): { getReader(options?: { readonly mode: 'byob' }): ByteReader };
}

/**
 * The readers in use. Chromium may collect a reader as garbage while a read of it is pending, unless something global
 * refers to it; that read would never end.
 */
const readersInUse = new Set<ByteReader>();

/**
 * Chunks of a Blob on disk. All of them use the same memory, one after the other: reading the Blob as ArrayBuffers
 * takes twice the processor time.
 * @throws {CwError} CW-607 when the Blob's file is gone, CW-702 when it cannot be read now
 */
export async function* streamChunks(blob: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = readerOf(blob as unknown as StreamedBlob);
  readersInUse.add(reader);
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (done || !value) {
        return;
      }
      yield value;
      buffer = value.buffer as ArrayBuffer;
    }
  } catch (error) {
    const isGone = error instanceof Error && error.name === 'NotFoundError';
    throw new CwError(isGone ? 'CW-607' : 'CW-702', 'the kept copy of a photo cannot be read', {
      cause: error,
    });
  } finally {
    readersInUse.delete(reader);
    // The caller may leave before the end.
    reader.cancel().catch(() => undefined);
  }
}

/** A reader that fills memory it is given, where the host has one; else a reader that brings its own memory. */
function readerOf(blob: StreamedBlob): ByteReader {
  try {
    return blob.stream().getReader({ mode: 'byob' });
  } catch {
    return blob.stream().getReader();
  }
}
