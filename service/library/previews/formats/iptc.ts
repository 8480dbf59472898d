import { decodedText } from './text.js';
import type { ByteReader } from './byte-reader.js';

/** The datasets that are read, by record and number. */
export const DATASET = {
  title: '2:5',
  keyword: '2:25',
  date: '2:55',
  time: '2:60',
  digitalDate: '2:62',
  digitalTime: '2:63',
  creator: '2:80',
  copyright: '2:116',
  caption: '2:120',
} as const;

const MARKER = 0x1c;
const CHARACTER_SET = '1:90';
const UTF_8 = '\x1b%G';
const MAX_BYTES = 1024 * 1024;
const MAX_DATASETS = 1000;
/** From here on the length is in more bytes, as only pictures need it. */
const LONG = 0x8000;

/** The texts of each dataset, see {@link DATASET}. */
export type IptcTexts = ReadonlyMap<string, readonly string[]>;

/** Reads [IPTC-IIM](https://iptc.org/std/IIM/4.2/specification/IIMV4.2.pdf): datasets with a number, a length and a text. */
export async function readIptc(reader: ByteReader): Promise<IptcTexts> {
  const bytes = await reader.read(0, Math.min(reader.size, MAX_BYTES));
  const found: [string, Buffer][] = [];
  let at = 0;
  while (bytes !== undefined && found.length < MAX_DATASETS && at + 5 <= bytes.length) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== MARKER || length >= LONG || at + 5 + length > bytes.length) {
      break;
    }
    const name = `${bytes[at + 1] ?? 0}:${bytes[at + 2] ?? 0}`;
    found.push([name, bytes.subarray(at + 5, at + 5 + length)]);
    at += 5 + length;
  }
  const isUtf8 = found.some(
    ([name, value]) => name === CHARACTER_SET && value.toString('latin1') === UTF_8,
  );
  const texts = new Map<string, string[]>();
  for (const [name, value] of found) {
    const text = isUtf8 ? value.toString('utf8') : decodedText(value);
    texts.set(name, [...(texts.get(name) ?? []), text]);
  }
  return texts;
}
