import { latin1, uint32 } from './byte-source.js';
import type { Slice } from './slice.js';

/** A chunk of a RIFF file, such as [WebP](https://www.rfc-editor.org/rfc/rfc9649#section-2.3). */
export interface RiffChunk<S> {
  readonly type: string;
  /** Where it begins, and where the next one does. */
  readonly at: number;
  readonly end: number;
  /** Null where they are cut short; such a chunk is the last one. */
  readonly data: S | null;
}

const FILE_HEAD_BYTES = 12;
const HEAD_BYTES = 8;

export function isWebp(head: string): boolean {
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP';
}

/** The chunks of a file. @param size  where the file ends */
export async function* riffChunksIn<S extends Slice<S>>(
  file: S,
  size = file.size,
): AsyncGenerator<RiffChunk<S>> {
  for (let at = FILE_HEAD_BYTES; at + HEAD_BYTES <= size;) {
    file.step();
    const head = await file.read(at, HEAD_BYTES);
    if (!head) {
      return;
    }
    const length = uint32(head, 4, true);
    const start = at + HEAD_BYTES;
    const data = file.has(start, length) ? file.part(start, length) : null;
    const end = start + length + (length % 2);
    yield { type: latin1(head, 0, 4), at, end, data };
    if (!data) {
      return;
    }
    at = end;
  }
}
