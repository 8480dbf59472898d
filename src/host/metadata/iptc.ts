import { decodeUtf8, encodeUtf8 } from '../../util/utf8.js';
import { bigEndian, concat, latin1, unchangeable, viewOf } from './bytes.js';
import { writesTexts, type CopyTexts } from './changes.js';

/**
 * IPTC-IIM, the older form of IPTC's metadata (https://www.iptc.org/std/IIM/4.2/specification/IIMV4.2.pdf). Programs that
 * do not read XMP read this.
 * @packageDocumentation
 */

const MARKER = 0x1c;
/** Data sets of record 2 with other values than text: the version, sounds and previews. */
const BINARY = [0, 125, 200, 201, 202];
/** The number that a data set has whose location was removed. */
const REMOVED = 255;
/** The escape sequence of UTF-8 in 1:90. */
const UTF8 = Uint8Array.of(0x1b, 0x25, 0x47);

interface DataSet {
  readonly record: number;
  readonly number: number;
  readonly data: Uint8Array;
}

/**
 * Rewrites a block of IPTC-IIM data sets.
 * @param block  null where there is none; one is made if texts are written
 * @returns null for no block
 * @throws {CwError} CW-810 for a block that is not understood
 */
export function editIptc(block: Uint8Array | null, changes: CopyTexts): Uint8Array | null {
  const texts = textsOf(changes);
  if (block === null && !writesTexts(changes)) {
    return null;
  }
  const replaced = texts.map(({ number }) => number);
  const kept = (block === null ? [] : readDataSets(block)).filter(
    ({ record, number }) => !(record === 2 && (replaced.includes(number) || number === REMOVED)),
  );
  const isUtf8 = kept.some(
    ({ record, number, data }) => record === 1 && number === 90 && latin1(data) === latin1(UTF8),
  );
  if (texts.length === 0) {
    return write(kept);
  }
  const inUtf8 = isUtf8
    ? kept
    : kept.filter(({ record, number }) => !(record === 1 && number === 90)).map(toUtf8);
  const hasVersion = inUtf8.some(({ record, number }) => record === 2 && number === 0);
  return write([
    ...(isUtf8 ? [] : [{ record: 1, number: 90, data: UTF8 }]),
    ...(hasVersion ? [] : [{ record: 2, number: 0, data: Uint8Array.of(0, 4) }]),
    ...inUtf8,
    ...texts,
  ]);
}

/** By-line, copyright notice and contact, each cut to the length that the standard allows. */
function textsOf({ creator, copyright, contact }: CopyTexts): readonly DataSet[] {
  const texts = [
    { number: 80, text: creator, most: 32 },
    { number: 116, text: copyright, most: 128 },
    { number: 118, text: contact, most: 128 },
  ];
  return texts
    .filter(({ text }) => text !== '')
    .map(({ number, text, most }) => ({ record: 2, number, data: cutUtf8(text, most) }));
}

function cutUtf8(text: string, most: number): Uint8Array {
  let bytes = new Uint8Array(0);
  for (const character of text) {
    const next = concat(bytes, encodeUtf8(character));
    if (next.length > most) {
      break;
    }
    bytes = next;
  }
  return bytes;
}

/** Text in another encoding, which no block names reliably, is read as ISO 8859-1. */
function toUtf8(dataSet: DataSet): DataSet {
  const { record, number, data } = dataSet;
  return record !== 2 || BINARY.includes(number) || decodeUtf8(data) !== null
    ? dataSet
    : { ...dataSet, data: encodeUtf8(latin1(data)) };
}

function readDataSets(block: Uint8Array): readonly DataSet[] {
  const view = viewOf(block);
  const dataSets: DataSet[] = [];
  let at = 0;
  while (at < block.length) {
    // Blocks are filled up to a multiple of two or four bytes.
    if (block[at] === 0 && block.subarray(at).every((byte) => byte === 0)) {
      break;
    }
    if (at + 5 > block.length || block[at] !== MARKER) {
      throw unchangeable('the IPTC block is damaged');
    }
    const length = view.getUint16(at + 3);
    const end = at + 5 + length;
    if (length >= 0x8000 || end > block.length) {
      throw unchangeable('the IPTC block is damaged');
    }
    dataSets.push({
      record: block[at + 1] ?? 0,
      number: block[at + 2] ?? 0,
      data: block.subarray(at + 5, end),
    });
    at = end;
  }
  return dataSets;
}

/** Records are in ascending order; inside them data sets keep theirs, with the version first. */
function write(dataSets: readonly DataSet[]): Uint8Array {
  const rank = ({ record, number }: DataSet): number => record * 2 + (number === 0 ? 0 : 1);
  const sorted = [...dataSets].sort((one, other) => rank(one) - rank(other));
  return concat(
    ...sorted.map(({ record, number, data }) =>
      concat(Uint8Array.of(MARKER, record, number), bigEndian(data.length, 2), data),
    ),
  );
}
