import type { ByteReader } from './byte-reader.js';

/** The numbers of the resources that are read. */
export const RESOURCE = {
  iptc: 1028,
  preview: 1036,
  profile: 1039,
  version: 1057,
  exif: 1058,
  xmp: 1060,
} as const;

/** The numbers of the ways in which colours are stored. */
export const MODE = { grey: 1, rgb: 3, cmyk: 4, duotone: 8 } as const;

/** The length of the header before the JPEG of a preview, in bytes. */
const PREVIEW_HEADER_BYTES = 28;
const MAX_RESOURCES = 1024;

/** A [Photoshop file](https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/). */
export interface PhotoshopFile {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** In bits for each channel. */
  readonly depth: number;
  /** How colours are stored, see {@link MODE}. */
  readonly mode: number;
  /** Whether it is a PSB, the form for large pictures. */
  readonly isLarge: boolean;
  /** Where the section with the layers begins. */
  readonly layersAt: number;
  /** Its resources of the numbers in {@link RESOURCE}, each as a separate file. */
  readonly resources: ReadonlyMap<number, ByteReader>;
}

/**
 * Reads the header and finds the resources: `8BIM`, a number, a name, a length and that many bytes. What is not read is
 * skipped by its length, however long it is.
 * @returns undefined when it is no Photoshop file.
 */
export async function readPhotoshop(reader: ByteReader): Promise<PhotoshopFile | undefined> {
  const head = await reader.read(0, 30);
  if (head?.toString('latin1', 0, 5) !== '8BPS\0') {
    return undefined;
  }
  const resourcesAt = 30 + head.readUInt32BE(26);
  const resourcesLength = (await reader.read(resourcesAt, 4))?.readUInt32BE(0) ?? 0;
  return {
    height: head.readUInt32BE(14),
    width: head.readUInt32BE(18),
    channels: head.readUInt16BE(12),
    depth: head.readUInt16BE(22),
    mode: head.readUInt16BE(24),
    isLarge: head[5] === 2,
    layersAt: resourcesAt + 4 + resourcesLength,
    resources: await resourcesIn(reader, resourcesAt + 4),
  };
}

/** The resources of the numbers in {@link RESOURCE} from a place on. JPEG and TIFF have a list of them, too. */
export async function resourcesIn(
  reader: ByteReader,
  start = 0,
): Promise<ReadonlyMap<number, ByteReader>> {
  const wanted = Object.values(RESOURCE) as number[];
  const resources = new Map<number, ByteReader>();
  let at = start;
  for (let count = 0; count < MAX_RESOURCES && resources.size < wanted.length; count += 1) {
    const fixed = await reader.read(at, 7);
    if (fixed?.toString('latin1', 0, 4) !== '8BIM') {
      break;
    }
    const dataAt = at + 6 + even((fixed[6] ?? 0) + 1) + 4;
    const length = (await reader.read(dataAt - 4, 4))?.readUInt32BE(0);
    if (length === undefined) {
      break;
    }
    const number = fixed.readUInt16BE(4);
    const part = wanted.includes(number) ? reader.part(dataAt, length) : undefined;
    if (part !== undefined) {
      resources.set(number, part);
    }
    at = dataAt + even(length);
  }
  return resources;
}

/** The JPEG that a Photoshop file carries as its preview. */
export function previewInPhotoshop({
  resources,
}: Pick<PhotoshopFile, 'resources'>): ByteReader | undefined {
  return resources.get(RESOURCE.preview)?.part(PREVIEW_HEADER_BYTES);
}

function even(length: number): number {
  return length + (length % 2);
}
