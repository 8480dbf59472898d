import type { ByteReader } from '../byte-reader.js';
import { latin1, uint16, uint32 } from '../byte-source.js';
import type { Size } from './raw.js';

/** The content of a Minolta raw file. */
export interface MrwContent {
  /** As the picture is shown. */
  readonly sides: Size | null;
  /** Its EXIF data, a TIFF file. */
  readonly exif: ByteReader | null;
}

const MAX_BLOCKS = 16;

/**
 * Reads the [blocks of an MRW file](https://www.dalibor.cz/software/minolta-raw-mrw-file-format) before its pixels: a name, a
 * length, and that many bytes.
 * @returns null when it is no such file
 */
export async function readMrw(reader: ByteReader): Promise<MrwContent | null> {
  if ((await reader.text(0, 4)) !== '\0MRM') {
    return null;
  }
  let sides: Size | null = null;
  let exif: ByteReader | null = null;
  let at = 8;
  for (let count = 0; count < MAX_BLOCKS && (sides === null || exif === null); count += 1) {
    const head = await reader.read(at, 8);
    const name = head && latin1(head, 0, 4);
    const data = head && reader.part(at + 8, uint32(head, 4));
    if (data === null) {
      break;
    }
    if (name === '\0PRD') {
      const size = await data.read(12, 4);
      sides = size && { height: uint16(size, 0), width: uint16(size, 2) };
    } else if (name === '\0TTW') {
      exif = data;
    }
    at += 8 + data.size;
  }
  return { sides, exif };
}
