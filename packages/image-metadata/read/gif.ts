import type { ByteReader } from '../byte-reader.js';
import { indexOfBytes, latin1 } from '../byte-source.js';
import { colourBytes, GIF, XMP_END } from '../gif.js';

const MAX_BLOCKS = 4096;
/** What follows the packet, so that a program that skips sub-blocks arrives at the end of it. */
const XMP_TRAILER_BYTES = 257;
/** The longest packet that is looked for. */
const MAX_XMP_BYTES = 4 * 1024 * 1024;

/**
 * Finds the XMP packet of a [GIF](https://www.w3.org/Graphics/GIF/spec-gif89a.txt): an application extension whose
 * data are not in sub-blocks.
 */
export async function xmpInGif(reader: ByteReader): Promise<ByteReader | null> {
  const head = await reader.read(0, 13);
  let at = 13 + colourBytes(head?.[10]);
  for (let count = 0; count < MAX_BLOCKS; count += 1) {
    const block = await reader.read(at, 2);
    if (block?.[0] === GIF.extension && block[1] === GIF.application) {
      const name = await reader.read(at + 2, 12);
      if (name && latin1(name, 1) === GIF.xmp) {
        return packetAt(reader, at + 14);
      }
    }
    if (block?.[0] === GIF.extension) {
      at += 2;
    } else if (block?.[0] === GIF.image) {
      at += 11 + colourBytes((await reader.read(at + 9, 1))?.[0]);
    } else {
      return null;
    }
    for (
      let size = (await reader.read(at, 1))?.[0];
      size !== 0;
      size = (await reader.read(at, 1))?.[0]
    ) {
      count += 1;
      if (size === undefined || count >= MAX_BLOCKS) {
        return null;
      }
      at += 1 + size;
    }
    at += 1;
  }
  return null;
}

async function packetAt(reader: ByteReader, start: number): Promise<ByteReader | null> {
  const length = Math.min(MAX_XMP_BYTES, reader.size - start);
  const bytes = await reader.read(start, length);
  const end = bytes ? indexOfBytes(bytes, XMP_END) : -1;
  return end < 0 || start + end + XMP_TRAILER_BYTES > reader.size ? null : reader.part(start, end);
}
