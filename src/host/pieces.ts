import { CwError } from '../base/errors.js';

/** How much is read at once of what is only looked at: little enough to be still at hand for the processor. */
const PIECE_BYTES = 1024 * 1024;

/** Pieces of what can be read at any place. @throws {unknown} what `read` throws */
export async function* readPieces(
  read: (start: number, end: number) => Promise<ArrayBuffer>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    yield new Uint8Array(await read(at, Math.min(at + PIECE_BYTES, end)));
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
 * Pieces of a Blob that lies on disk, in the same memory one after the other: to read it as ArrayBuffers takes twice the
 * processor time.
 * @throws {CwError} CW-607
 */
export async function* streamPieces(blob: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = readerOf(blob as unknown as StreamedBlob);
  let buffer = new ArrayBuffer(PIECE_BYTES);
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
    throw new CwError('CW-607', 'the kept copy of a photo cannot be read', { cause: error });
  } finally {
    // Whoever needs no more of it leaves early.
    reader.cancel().catch(() => undefined);
  }
}

/** One that fills memory it is given, where the host has it; else one that brings its own. */
function readerOf(blob: StreamedBlob): ByteReader {
  try {
    return blob.stream().getReader({ mode: 'byob' });
  } catch {
    return blob.stream().getReader();
  }
}
