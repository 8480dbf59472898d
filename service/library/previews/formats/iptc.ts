import {
  dataSetsIn,
  latin1,
  UTF8_ESCAPE,
  type ByteReader,
} from '../../../../packages/image-metadata/index.js';
import { decodedText } from './text.js';

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

const CHARACTER_SET = '1:90';
const MAX_BYTES = 1024 * 1024;
const MAX_DATASETS = 1000;

/** The texts of each dataset, see {@link DATASET}. */
export type IptcTexts = ReadonlyMap<string, readonly string[]>;

/** Reads the texts of IPTC-IIM. */
export async function readIptc(reader: ByteReader): Promise<IptcTexts> {
  const found: [string, Uint8Array][] = [];
  const block = reader.part(0, Math.min(reader.size, MAX_BYTES)) ?? reader;
  for await (const { record, number, data } of dataSetsIn(block)) {
    const value = await data.read(0, data.size);
    if (value === null || found.length >= MAX_DATASETS) {
      break;
    }
    found.push([`${record}:${number}`, value]);
  }
  const isUtf8 = found.some(
    ([name, value]) => name === CHARACTER_SET && latin1(value) === UTF8_ESCAPE,
  );
  const texts = new Map<string, string[]>();
  for (const [name, value] of found) {
    const text = isUtf8 ? Buffer.from(value).toString('utf8') : decodedText(value);
    texts.set(name, [...(texts.get(name) ?? []), text]);
  }
  return texts;
}
