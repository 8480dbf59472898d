import {
  latin1,
  uint32,
  type ByteReader,
  type Size,
} from '../../../packages/image-metadata/index.js';

/** The size is that near to the beginning of a file, in bytes. */
const HEAD_BYTES = 64 * 1024;

/** The formats that the library may read. It has many more. */
const TYPES = ['bmp', 'j2c', 'jp2', 'jxl', 'jxl-stream'];

/** An attribute of an [OpenEXR header](https://openexr.com/en/latest/OpenEXRFileLayout.html): name, type, length; then four numbers. */
const EXR_MAGIC = 'v/1\x01';
const EXR_WINDOW = 'displayWindow\0box2i\0\x10\0\0\0';

/** The line before the pixels of a Radiance picture. */
const RADIANCE_MAGIC = '#?R';
const RADIANCE_SIZE = /\n[-+]Y (\d{1,6}) [-+]X (\d{1,6})\n/;

/** The size of a picture as its header has it; undefined for other formats. */
export async function pictureSize(reader: ByteReader): Promise<Size | undefined> {
  const head = await reader.read(0, Math.min(HEAD_BYTES, reader.size));
  const text = head ? latin1(head) : '';
  if (head === null || text.startsWith(EXR_MAGIC)) {
    const at = text.indexOf(EXR_WINDOW) + EXR_WINDOW.length;
    return head && at >= EXR_WINDOW.length && at + 16 <= head.length
      ? exrSides(head, at)
      : undefined;
  }
  if (text.startsWith(RADIANCE_MAGIC)) {
    const [, height, width] = RADIANCE_SIZE.exec(text) ?? [];
    return height === undefined ? undefined : { width: Number(width), height: Number(height) };
  }
  return byLibrary(head);
}

/** The first and the last column and row. */
function exrSides(head: Uint8Array, at: number): Size {
  const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map(
    (n) => uint32(head, at + n, true) | 0,
  );
  return { width: right - left + 1, height: bottom - top + 1 };
}

async function byLibrary(head: Uint8Array): Promise<Size | undefined> {
  try {
    const { imageSize } = await import('image-size');
    const { width, height, type = '' } = imageSize(head);
    return TYPES.includes(type) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}
