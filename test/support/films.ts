import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('films/', import.meta.url);

/** Small films of one colour, without sound or silent, made with ffmpeg 5.1. `counting.webm` shows a clock. */
export type FilmName =
  | 'av1.mp4'
  | 'counting.webm'
  | 'fragmented.mp4'
  | 'hdr.mp4'
  | 'live.webm'
  | 'located.mov'
  | 'located.webm'
  | 'ntsc.mp4'
  | 'prores.mov'
  | 'silent.m4v'
  | 'svq.mov'
  | 'timecode.mov';

export function film(name: FilmName): Buffer {
  return readFileSync(fileURLToPath(new URL(name, FOLDER)));
}

/** A film of QuickTime's first years, without `ftyp`. */
export function oldQuickTime(): Buffer {
  const file = film('svq.mov');
  file.write('wide', 4, 'latin1');
  return file;
}

/** A film with the matrix that phones write when they are held upright. */
export function upright(): Buffer {
  const file = film('silent.m4v');
  const matrix = file.indexOf('tkhd') + 4 + 40;
  const fixed = (value: number): number => value * 0x1_0000;
  [0, fixed(1), 0, fixed(-1), 0, 0, fixed(36), 0, 0x4000_0000].forEach((value, index) => {
    file.writeInt32BE(value, matrix + 4 * index);
  });
  return file;
}

/** An element of EBML with a length of eight bytes. @param id in hex */
export function element(id: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) | BigInt(data.length));
  return Buffer.concat([Buffer.from(id, 'hex'), length, data]);
}

/** A WebM with further elements in its segment. */
export function webm(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([
    element('1a45dfa3', element('4282', 'webm')),
    element('18538067', ...parts),
  ]);
}
