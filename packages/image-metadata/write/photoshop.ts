import type { ByteReader } from '../byte-reader.js';
import { bytesOfNumber } from '../byte-source.js';
import { layersIn, readPhotoshopHeader, RESOURCE } from '../photoshop.js';
import type { MetadataTexts } from './changes.js';
import { planResources, textEdits, type ResourceEdits } from './image-resources.js';
import { sizeOf, UnwritableError, type Piece } from './pieces.js';

/** Rewrites a PSD or PSB file. Only its image resources change. @throws {UnwritableError} */
export function planPhotoshop(file: ByteReader, texts: MetadataTexts): Promise<readonly Piece[]> {
  return planResourcesOf(file, textEdits(texts), [RESOURCE.iptc, RESOURCE.xmp]);
}

/** As {@link planResources}, of a PSD or PSB file. @throws {UnwritableError} */
export async function planResourcesOf(
  file: ByteReader,
  edits: ResourceEdits,
  ensured: readonly number[],
): Promise<readonly Piece[]> {
  const header = await readPhotoshopHeader(file);
  const layers = header && (await layersIn(file, header));
  const resources =
    header && file.part(header.resourcesAt, header.resourcesEnd - header.resourcesAt);
  if (!layers || !resources || !file.has(layers.at, layers.length)) {
    throw new UnwritableError('the Photoshop file is cut short');
  }
  const pieces = await planResources(resources, edits, ensured);
  return [
    { from: 0, to: header.resourcesAt - 4 },
    bytesOfNumber(sizeOf(pieces), 4),
    ...pieces,
    { from: header.resourcesEnd, to: file.size },
  ];
}
