import { uint16 } from './byte-source.js';
import type { Slice } from './slice.js';

/**
 * IPTC-IIM, the older form of IPTC's metadata (https://www.iptc.org/std/IIM/4.2/specification/IIMV4.2.pdf).
 * @packageDocumentation
 */

export interface DataSet<S> {
  readonly record: number;
  readonly number: number;
  /** Where it begins, and where the next one does. */
  readonly at: number;
  readonly end: number;
  readonly data: S;
}

export const DATA_SET_MARKER = 0x1c;
/** The record with what describes a picture. */
export const APPLICATION_RECORD = 2;
/** What the data set 1:90 has if all texts are UTF-8. */
export const UTF8_ESCAPE = '\u001b%G';
/** Marker, record, number and length. */
const HEAD_BYTES = 5;
/** From here on the length is in more bytes, as only pictures need it. */
const LONG = 0x8000;

/** The data sets of a block, up to the first that is none. */
export async function* dataSetsIn<S extends Slice<S>>(block: S): AsyncGenerator<DataSet<S>> {
  for (let at = 0; block.has(at, HEAD_BYTES);) {
    block.step();
    const head = await block.read(at, HEAD_BYTES);
    const length = head ? uint16(head, 3) : LONG;
    if (
      !head ||
      head[0] !== DATA_SET_MARKER ||
      length >= LONG ||
      !block.has(at + HEAD_BYTES, length)
    ) {
      return;
    }
    const data = block.part(at + HEAD_BYTES, length);
    if (!data) {
      return;
    }
    const end = at + HEAD_BYTES + length;
    yield { record: head[1] ?? 0, number: head[2] ?? 0, at, end, data };
    at = end;
  }
}
