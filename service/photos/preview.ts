/** How many bytes at the beginning of a file are searched for a preview. */
export const PREVIEW_HEAD_BYTES = 256 * 1024;

/** The largest preview that is used: in bytes, and in pixels of each side. */
const MAX_PREVIEW_BYTES = 128 * 1024;
const MAX_PREVIEW_SIDE = 1024;

/** Tags of [TIFF 6.0](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf) that tell where a preview is. */
const PREVIEW_OFFSET = 0x0201;
const PREVIEW_LENGTH = 0x0202;
const MAX_TAGS = 512;

/** The tag that tells how a picture must be turned or mirrored, and the values for which something must be done. */
const ORIENTATION = 0x0112;
const TURNED = [2, 3, 4, 5, 6, 7, 8];

/** The resource of a Photoshop file that holds a preview, and the length in bytes of the header before its JPEG. */
const PSD_PREVIEW = 1036;
const PSD_PREVIEW_HEADER = 28;
/** The resource that holds EXIF data. */
const PSD_EXIF = 1058;
const MAX_RESOURCES = 1024;

/**
 * The preview that a JPEG (in its EXIF data) or a Photoshop file carries: a small JPEG.
 *
 * Files come from strangers, so nothing in them is trusted: each length is checked against the bytes that are there,
 * the work is limited, and the preview must be a JPEG of few pixels. Anything else counts as no preview. If the picture
 * must be turned, its orientation is copied into the preview.
 * @param head the first bytes of the file, {@link PREVIEW_HEAD_BYTES} of them at most.
 * @returns the JPEG; undefined when there is no usable preview.
 */
export function previewIn(head: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const found = startsWith(bytes, 'ffd8ff') ? inExif(bytes) : previewInPhotoshop(bytes);
  return found !== undefined && found.length <= MAX_PREVIEW_BYTES && isSmallJpeg(found)
    ? found
    : undefined;
}

/** One segment of a JPEG: its marker, and its content. */
interface Segment {
  readonly kind: number;
  readonly data: Buffer;
}

/** The complete segments of a JPEG that come before its picture. Each step moves forward, so this always ends. */
function* segmentsOf(bytes: Buffer): Generator<Segment> {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const kind = bytes[at + 1] ?? 0;
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    // The picture itself begins with DA.
    if (length < 2 || end > bytes.length || kind === 0xda) {
      return;
    }
    yield { kind, data: bytes.subarray(at + 4, end) };
    at = end;
  }
}

function inExif(bytes: Buffer): Buffer | undefined {
  for (const { kind, data } of segmentsOf(bytes)) {
    if (kind === 0xe1 && startsWith(data, '457869660000')) {
      return inTiff(data.subarray(6));
    }
  }
  return undefined;
}

/** EXIF data is a TIFF file; its second directory describes the preview. */
function inTiff(tiff: Buffer): Buffer | undefined {
  const isLittle = startsWith(tiff, '49492a00');
  if (!isLittle && !startsWith(tiff, '4d4d002a')) {
    return undefined;
  }
  const short = (at: number): number | undefined =>
    at + 2 > tiff.length ? undefined : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const long = (at: number): number | undefined =>
    at + 4 > tiff.length ? undefined : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at);
  const tags = (at: number): Map<number | undefined, number> => {
    const count = Math.min(at === 0 ? 0 : (short(at) ?? 0), MAX_TAGS);
    const places = Array.from({ length: count }, (_, index) => at + 2 + 12 * index);
    return new Map(places.map((place) => [short(place), place + 8]));
  };
  const first = long(4) ?? 0;
  const second = tags(long(first + 2 + 12 * (short(first) ?? 0)) ?? 0);
  const value = (tag: number): number | undefined => long(second.get(tag) ?? tiff.length);
  const preview = slice(tiff, value(PREVIEW_OFFSET), value(PREVIEW_LENGTH));
  return preview && turned(preview, short(tags(first).get(ORIENTATION) ?? tiff.length));
}

/** Adds EXIF data to a JPEG that tell how it must be turned: browsers follow them. */
function turned(jpeg: Buffer, orientation: number | undefined): Buffer {
  if (orientation === undefined || !TURNED.includes(orientation)) {
    return jpeg;
  }
  const exif = Buffer.from(
    `ffe100224578696600004d4d002a00000008000101120003000000010000000000000000`,
    'hex',
  );
  exif.writeUInt16BE(orientation, exif.length - 8);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

function previewInPhotoshop(bytes: Buffer): Buffer | undefined {
  return inPhotoshop(bytes, PSD_PREVIEW)?.subarray(PSD_PREVIEW_HEADER);
}

/**
 * The EXIF data that a Photoshop file carries; undefined when there are none.
 * @param head as for {@link previewIn}.
 */
export function exifInPhotoshop(head: Buffer): Buffer | undefined {
  return inPhotoshop(head, PSD_EXIF);
}

/** A Photoshop file: a header, the colours, then resources: `8BIM`, a number, a name, a length and that many bytes. */
function inPhotoshop(bytes: Buffer, wanted: number): Buffer | undefined {
  if (!startsWith(bytes, '3842505300') || bytes.length < 34) {
    return undefined;
  }
  let at = 30 + bytes.readUInt32BE(26) + 4;
  for (let count = 0; count < MAX_RESOURCES; count += 1) {
    if (at + 12 > bytes.length || !startsWith(bytes.subarray(at), '3842494d')) {
      return undefined;
    }
    const nameLength = bytes[at + 6] ?? 0;
    const start = at + 6 + even(nameLength + 1) + 4;
    if (start > bytes.length) {
      return undefined;
    }
    const length = bytes.readUInt32BE(start - 4);
    if (bytes.readUInt16BE(at + 4) === wanted) {
      return slice(bytes, start, length);
    }
    at = start + even(length);
  }
  return undefined;
}

/** Whether bytes are a JPEG of few pixels: a browser reserves memory for the size in its header. */
function isSmallJpeg(bytes: Buffer): boolean {
  if (!startsWith(bytes, 'ffd8ff')) {
    return false;
  }
  for (const { kind, data } of segmentsOf(bytes)) {
    // Frame headers are C0 to CF, except for three markers that mean something else.
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind) && data.length >= 5) {
      const [height, width] = [data.readUInt16BE(1), data.readUInt16BE(3)];
      return [height, width].every((side) => side > 0 && side <= MAX_PREVIEW_SIDE);
    }
  }
  return false;
}

function slice(bytes: Buffer, start = 0, length = 0): Buffer | undefined {
  return start > 0 && length > 0 && start + length <= bytes.length
    ? bytes.subarray(start, start + length)
    : undefined;
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.subarray(0, hex.length / 2).toString('hex') === hex;
}

function even(length: number): number {
  return length + (length % 2);
}
