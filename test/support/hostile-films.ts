import { element, film, webm } from './films.js';
import { box, FTYP, zeros } from './metadata-samples.js';

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
}

/** Files that are made to take long. None of them has facts, or only some. */
export const HOSTILE_FILMS: Readonly<Record<string, Buffer>> = {
  'ten thousand tracks': Buffer.concat([
    FTYP,
    box('moov', ...Array.from({ length: 10_000 }, () => box('trak', box('tkhd', zeros(84))))),
  ]),
  'a hundred thousand fragments': Buffer.concat([
    film('fragmented.mp4'),
    ...Array.from({ length: 100_000 }, () => box('moof')),
  ]),
  'a box of 2^63 bytes': Buffer.concat([
    FTYP,
    u32(1),
    Buffer.from('moov'),
    u32(0x8000_0000, 0),
    zeros(100),
  ]),
  'boxes without a length': Buffer.concat([
    FTYP,
    u32(0),
    Buffer.from('moov'),
    u32(0),
    Buffer.from('trak'),
  ]),
  'a length that is too small': Buffer.concat([FTYP, u32(4), Buffer.from('moov'), zeros(100)]),
  'metadata in metadata': Buffer.concat([
    FTYP,
    Array.from({ length: 2000 }).reduce<Buffer>((inner) => box('meta', zeros(4), inner), zeros(0)),
  ]),
  'a run of 2^32 frames': Buffer.concat([
    film('fragmented.mp4'),
    box('moof', box('traf', box('tfhd', u32(0, 1)), box('trun', u32(0xf00, 0xffff_ffff)))),
  ]),
  'an element of 2^56 bytes': Buffer.concat([
    Buffer.from('1a45dfa380', 'hex'),
    Buffer.from('1853806701fffffffffffffe', 'hex'),
    Buffer.from('1549a96601fffffffffffffe', 'hex'),
  ]),
  'elements without a length in each other': Buffer.concat([
    Buffer.from('1a45dfa380', 'hex'),
    ...Array.from({ length: 5000 }, () => Buffer.from('18538067ff', 'hex')),
  ]),
  'a million empty elements': webm(element('1549a966', Buffer.alloc(2_000_000, 'ec80', 'hex'))),
  'ids that are none': Buffer.concat([Buffer.from('1a45dfa380', 'hex'), zeros(1000)]),
};
