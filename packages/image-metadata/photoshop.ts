import { latin1, uint16, uint32, uint64 } from './byte-source.js';
import type { Slice } from './slice.js';

/**
 * Photoshop's files and image resources (https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/).
 * @packageDocumentation
 */

/** The numbers of the resources that are handled. */
export const RESOURCE = {
  iptc: 1028,
  oldPreview: 1033,
  preview: 1036,
  profile: 1039,
  version: 1057,
  exif: 1058,
  otherExif: 1059,
  xmp: 1060,
  /** MD5 of the IPTC block. Without it readers take what XMP has. */
  iptcDigest: 1061,
} as const;

/** How a Photoshop file begins. */
export const PHOTOSHOP_START = '8BPS\0';
const SIGNATURES = ['8BIM', 'MeSa', 'AgHg', 'PHUT', 'DCSR'];
const HEADER_BYTES = 26;
/** Signature, number, the longest name, and the length of the data. */
const MAX_HEAD_BYTES = 4 + 2 + 256 + 4;
/** The length of the header before the picture of a preview, in bytes, and the kind of a picture that is a JPEG. */
const PREVIEW_HEADER_BYTES = 28;
const JPEG_PREVIEW = 1;

export interface ImageResource<S> {
  readonly id: number;
  /** Where it begins, where its data do, and where the next one does. */
  readonly at: number;
  readonly dataAt: number;
  readonly end: number;
  readonly data: S;
}

/** Image resources one after another, up to the first that is none: a signature, a number, a name, a length and data. */
export async function* resourcesIn<S extends Slice<S>>(
  resources: S,
): AsyncGenerator<ImageResource<S>> {
  for (let at = 0; resources.has(at, 12);) {
    resources.step();
    const head = await resources.read(at, Math.min(MAX_HEAD_BYTES, resources.size - at));
    const nameBytes = (head?.[6] ?? 0) + 1;
    const lengthAt = 6 + nameBytes + (nameBytes % 2);
    if (!head || !SIGNATURES.includes(latin1(head, 0, 4)) || head.length < lengthAt + 4) {
      return;
    }
    const length = uint32(head, lengthAt);
    const dataAt = at + lengthAt + 4;
    const data = resources.has(dataAt, length) ? resources.part(dataAt, length) : null;
    if (!data) {
      return;
    }
    // The last one may lack the byte that makes its length even.
    const end = Math.min(dataAt + length + (length % 2), resources.size);
    yield { id: uint16(head, 4), at, dataAt, end, data };
    at = end;
  }
}

/** The JPEG in the data of a preview; null where it has pixels. */
export async function jpegInPreview<S extends Slice<S>>(preview: S): Promise<S | null> {
  const head = preview.size > PREVIEW_HEADER_BYTES ? await preview.read(0, 4) : null;
  return head && uint32(head) === JPEG_PREVIEW ? preview.part(PREVIEW_HEADER_BYTES) : null;
}

/** The header of a Photoshop file, and where its sections are. */
export interface PhotoshopHeader {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** In bits for each channel. */
  readonly depth: number;
  /** How colours are stored. */
  readonly mode: number;
  /** Whether it is a PSB, the form for large pictures. */
  readonly isLarge: boolean;
  /** Where its image resources are. */
  readonly resourcesAt: number;
  readonly resourcesEnd: number;
}

/** Reads the header of a Photoshop file; null for another file, and for one that ends before its resources. */
export async function readPhotoshopHeader<S extends Slice<S>>(
  file: S,
): Promise<PhotoshopHeader | null> {
  const head = file.has(0, HEADER_BYTES + 4) ? await file.read(0, HEADER_BYTES + 4) : null;
  if (!head || latin1(head, 0, PHOTOSHOP_START.length) !== PHOTOSHOP_START) {
    return null;
  }
  const isLarge = head[5] === 2;
  if (!isLarge && head[5] !== 1) {
    return null;
  }
  const lengthAt = HEADER_BYTES + 4 + uint32(head, HEADER_BYTES);
  const resourcesAt = lengthAt + 4;
  const length = file.has(lengthAt, 4) ? await file.read(lengthAt, 4) : null;
  const resourcesEnd = resourcesAt + (length ? uint32(length) : 0);
  return {
    height: uint32(head, 14),
    width: uint32(head, 18),
    channels: uint16(head, 12),
    depth: uint16(head, 22),
    mode: uint16(head, 24),
    isLarge,
    resourcesAt,
    resourcesEnd,
  };
}

/** Where the layers of a Photoshop file are, behind their length; null where the file ends before them. */
export async function layersIn<S extends Slice<S>>(
  file: S,
  { isLarge, resourcesEnd }: PhotoshopHeader,
): Promise<{ readonly at: number; readonly length: number } | null> {
  const width = isLarge ? 8 : 4;
  const field = file.has(resourcesEnd, width) ? await file.read(resourcesEnd, width) : null;
  return field && { at: resourcesEnd + width, length: isLarge ? uint64(field) : uint32(field) };
}
