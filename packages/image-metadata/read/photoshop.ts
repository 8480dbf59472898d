import type { ByteReader } from '../byte-reader.js';
import { readPhotoshopHeader, resourcesIn, type PhotoshopHeader } from '../photoshop.js';

/** A Photoshop file. */
export interface PhotoshopFile extends PhotoshopHeader {
  readonly resources: ReadonlyMap<number, ByteReader>;
}

/** Reads the header and finds the resources. @returns null when it is no Photoshop file. */
export async function readPhotoshop(reader: ByteReader): Promise<PhotoshopFile | null> {
  const header = await readPhotoshopHeader(reader);
  if (!header) {
    return null;
  }
  const { resourcesAt, resourcesEnd } = header;
  const end = Math.min(resourcesEnd, reader.size);
  const resources = reader.part(resourcesAt, end - resourcesAt);
  return { ...header, resources: resources ? await resourcesById(resources) : new Map() };
}

/** The resources by their numbers. JPEG and TIFF have a list of them, too. */
export async function resourcesById(
  resources: ByteReader,
): Promise<ReadonlyMap<number, ByteReader>> {
  const found = new Map<number, ByteReader>();
  for await (const { id, data } of resourcesIn(resources)) {
    found.set(id, data);
  }
  return found;
}
