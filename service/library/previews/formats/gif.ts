import type { ByteReader } from './byte-reader.js';

const IMAGE = 0x2c;
const EXTENSION = 0x21;
const APPLICATION = 0xff;
const XMP = 'XMP DataXMP';
const MAX_BLOCKS = 4096;
/** What follows the packet, so that a program that skips sub-blocks arrives at the end of it. */
const XMP_TRAILER_BYTES = 257;
/** The longest packet that is looked for. */
const MAX_XMP_BYTES = 4 * 1024 * 1024;

/**
 * Finds the XMP packet of a [GIF](https://www.w3.org/Graphics/GIF/spec-gif89a.txt): an application extension whose
 * data are not in sub-blocks.
 */
export async function xmpInGif(reader: ByteReader): Promise<ByteReader | undefined> {
  const head = await reader.read(0, 13);
  let at = 13 + colourBytes(head?.[10]);
  for (let count = 0; count < MAX_BLOCKS; count += 1) {
    const block = await reader.read(at, 2);
    if (block?.[0] === EXTENSION && block[1] === APPLICATION) {
      const name = await reader.read(at + 2, 12);
      if (name?.toString('latin1', 1) === XMP) {
        return packetAt(reader, at + 14);
      }
    }
    if (block?.[0] === EXTENSION) {
      at += 2;
    } else if (block?.[0] === IMAGE) {
      at += 11 + colourBytes((await reader.read(at + 9, 1))?.[0]);
    } else {
      return undefined;
    }
    for (
      let size = (await reader.read(at, 1))?.[0];
      size !== 0;
      size = (await reader.read(at, 1))?.[0]
    ) {
      count += 1;
      if (size === undefined || count >= MAX_BLOCKS) {
        return undefined;
      }
      at += 1 + size;
    }
    at += 1;
  }
  return undefined;
}

/** How long the table of colours is that a field of flags announces. */
function colourBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

async function packetAt(reader: ByteReader, start: number): Promise<ByteReader | undefined> {
  const length = Math.min(MAX_XMP_BYTES, reader.size - start);
  const bytes = await reader.read(start, length);
  // The trailer begins with 1 and counts down from 255.
  const end = bytes?.indexOf(Buffer.from([1, 0xff, 0xfe, 0xfd])) ?? -1;
  return end < 0 || start + end + XMP_TRAILER_BYTES > reader.size
    ? undefined
    : reader.part(start, end);
}
