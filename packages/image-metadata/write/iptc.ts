import { decodeUtf8, encodeUtf8 } from '../../utf8/index.js';
import { ByteReader } from '../byte-reader.js';
import { bytesOfLatin1, bytesOfNumber, concat, latin1 } from '../byte-source.js';
import { APPLICATION_RECORD, DATA_SET_MARKER, dataSetsIn, UTF8_ESCAPE } from '../iptc.js';
import { writesTexts, type MetadataTexts } from './changes.js';
import { contentOf, UnwritableError } from './pieces.js';

/** Data sets of record 2 with other values than text: the version, sounds and previews. */
const BINARY = [0, 125, 200, 201, 202];
/** The number that a data set has whose location was removed. */
const REMOVED = 255;
/** More data sets are not rewritten. */
const MAX_DATA_SETS = 10_000;

interface DataSet {
  readonly record: number;
  readonly number: number;
  readonly data: Uint8Array;
}

/**
 * Rewrites a block of IPTC-IIM data sets. Programs that do not read XMP read this.
 * @param block  null where there is none; one is made if texts are written
 * @returns null for no block
 * @throws {UnwritableError} for a block that is not understood
 */
export async function editIptc(
  block: Uint8Array | null,
  changes: MetadataTexts,
): Promise<Uint8Array | null> {
  const texts = textsOf(changes);
  if (block === null && !writesTexts(changes)) {
    return null;
  }
  const replaced = [REMOVED, ...texts.map(({ number }) => number)];
  const kept = (block === null ? [] : await readDataSets(block)).filter(
    ({ record, number }) => !(record === APPLICATION_RECORD && replaced.includes(number)),
  );
  if (texts.length === 0) {
    return write(kept);
  }
  const isCharacterSet = ({ record, number }: DataSet): boolean => record === 1 && number === 90;
  const isUtf8 = kept.some((one) => isCharacterSet(one) && latin1(one.data) === UTF8_ESCAPE);
  const inUtf8 = isUtf8 ? kept : kept.filter((one) => !isCharacterSet(one)).map(toUtf8);
  const hasVersion = inUtf8.some(
    ({ record, number }) => record === APPLICATION_RECORD && number === 0,
  );
  return write([
    ...(isUtf8 ? [] : [{ record: 1, number: 90, data: bytesOfLatin1(UTF8_ESCAPE) }]),
    ...(hasVersion ? [] : [{ record: APPLICATION_RECORD, number: 0, data: Uint8Array.of(0, 4) }]),
    ...inUtf8,
    ...texts,
  ]);
}

/** By-line, copyright notice and contact, each cut to the length that the standard allows. */
function textsOf({ creator, copyright, contact }: MetadataTexts): readonly DataSet[] {
  const texts = [
    { number: 80, text: creator, most: 32 },
    { number: 116, text: copyright, most: 128 },
    { number: 118, text: contact, most: 128 },
  ];
  return texts
    .filter(({ text }) => text !== '')
    .map(({ number, text, most }) => ({
      record: APPLICATION_RECORD,
      number,
      data: cutUtf8(text, most),
    }));
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
  return record !== APPLICATION_RECORD || BINARY.includes(number) || decodeUtf8(data) !== null
    ? dataSet
    : { ...dataSet, data: encodeUtf8(latin1(data)) };
}

async function readDataSets(block: Uint8Array): Promise<readonly DataSet[]> {
  const dataSets: DataSet[] = [];
  let rest = 0;
  for await (const { record, number, end, data } of dataSetsIn(ByteReader.overBytes(block))) {
    dataSets.push({ record, number, data: await contentOf(data) });
    rest = end;
    if (dataSets.length > MAX_DATA_SETS) {
      throw new UnwritableError('the IPTC block has too many data sets');
    }
  }
  // Blocks are filled up to a multiple of two or four bytes.
  if (block.subarray(rest).some((byte) => byte !== 0)) {
    throw new UnwritableError('the IPTC block is damaged');
  }
  return dataSets;
}

/** Records are in ascending order; inside them data sets keep theirs, with the version first. */
function write(dataSets: readonly DataSet[]): Uint8Array {
  const rank = ({ record, number }: DataSet): number => record * 2 + (number === 0 ? 0 : 1);
  const sorted = [...dataSets].sort((one, other) => rank(one) - rank(other));
  return concat(
    ...sorted.map(({ record, number, data }) =>
      concat(Uint8Array.of(DATA_SET_MARKER, record, number), bytesOfNumber(data.length, 2), data),
    ),
  );
}
