import type { ByteReader } from './byte-reader.js';
import type { Sides } from './raw.js';

/** The content of a Minolta raw file. */
export interface MrwContent {
  /** As the picture is shown. */
  readonly sides: Sides | undefined;
  /** Its EXIF data, a TIFF file. */
  readonly exif: ByteReader | undefined;
}

const MAX_BLOCKS = 16;

/**
 * Reads the [blocks of an MRW file](https://www.dalibor.cz/software/minolta-raw-mrw-file-format) before its pixels: a name, a
 * length, and that many bytes.
 * @returns undefined when it is no such file
 */
export async function readMrw(reader: ByteReader): Promise<MrwContent | undefined> {
  if ((await reader.read(0, 4))?.toString('latin1') !== '\0MRM') {
    return undefined;
  }
  let sides: Sides | undefined;
  let exif: ByteReader | undefined;
  let at = 8;
  for (
    let count = 0;
    count < MAX_BLOCKS && (sides === undefined || exif === undefined);
    count += 1
  ) {
    const head = await reader.read(at, 8);
    const name = head?.toString('latin1', 0, 4);
    const data = head && reader.part(at + 8, head.readUInt32BE(4));
    if (data === undefined) {
      break;
    }
    if (name === '\0PRD') {
      const size = await data.read(12, 4);
      sides = size && { height: size.readUInt16BE(0), width: size.readUInt16BE(2) };
    } else if (name === '\0TTW') {
      exif = data;
    }
    at += 8 + data.size;
  }
  return { sides, exif };
}
