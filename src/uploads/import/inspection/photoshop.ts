import type { FileSlices } from './file-slices.js';

/** Numbers of the image resources that are read (Photoshop File Formats Specification). */
export const RESOURCE = { preview: 1036, xmp: 1060 } as const;

/** Bytes before the JPEG of a preview. */
const PREVIEW_HEADER_BYTES = 28;
/** `8BIM` */
const RESOURCE_SIGNATURE = 0x3842494d;
const MOST_RESOURCES = 512;

/** The image resources of a PSD or PSB; null for any other file. */
export async function resourcesInPhotoshopFile(file: FileSlices): Promise<FileSlices | null> {
  const head = await file.view(26, 4);
  const start = 30 + (head?.getUint32(0) ?? 0);
  const length = await file.view(start, 4);
  return (await file.text(0, 5)) === '8BPS\0' && length
    ? file.part(start + 4, Math.min(length.getUint32(0), file.size - start - 4))
    : null;
}

/** The resources with these numbers: `8BIM`, a number, a name, a length and that many bytes each. */
export async function readResources(
  resources: FileSlices,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, FileSlices>> {
  const found = new Map<number, FileSlices>();
  let at = 0;
  for (let count = 0; count < MOST_RESOURCES && found.size < wanted.length; count += 1) {
    const head = await resources.view(at, 7);
    if (head?.getUint32(0) !== RESOURCE_SIGNATURE) {
      break;
    }
    const start = at + 6 + even(head.getUint8(6) + 1) + 4;
    const length = (await resources.view(start - 4, 4))?.getUint32(0);
    const content = length === undefined ? null : resources.part(start, length);
    if (!content) {
      break;
    }
    if (wanted.includes(head.getUint16(4))) {
      found.set(head.getUint16(4), content);
    }
    at = start + even(content.size);
  }
  return found;
}

/** The JPEG in the preview resource; null when it holds something else. */
export async function jpegInPreview(preview: FileSlices): Promise<FileSlices | null> {
  const isJpeg = (await preview.view(0, 4))?.getUint32(0) === 1;
  return isJpeg ? preview.part(PREVIEW_HEADER_BYTES) : null;
}

function even(length: number): number {
  return length + (length % 2);
}
