import { ByteReader } from '../byte-reader.js';
import { bytesOfLatin1, bytesOfNumber, concat } from '../byte-source.js';
import { RESOURCE, resourcesIn } from '../photoshop.js';
import type { MetadataTexts } from './changes.js';
import { editIptc } from './iptc.js';
import { contentOf, joinPieces, PieceList, UnwritableError, type Piece } from './pieces.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/** How resources change, by their numbers. They get null for a resource to add, and give null for one to remove. */
export type ResourceEdits = Readonly<
  Record<number, (data: Uint8Array | null) => Promise<Uint8Array | null>>
>;

/** The changes for texts. */
export function textEdits(texts: MetadataTexts): ResourceEdits {
  const exif: ResourceEdits[number] = async (data) => data && editExif(data, texts);
  return {
    [RESOURCE.iptc]: (data) => editIptc(data, texts),
    [RESOURCE.xmp]: (data) => Promise.resolve(editXmp(data, texts)),
    [RESOURCE.iptcDigest]: () => Promise.resolve(null),
    [RESOURCE.exif]: exif,
    [RESOURCE.otherExif]: exif,
  };
}

/**
 * Rewrites Photoshop's image resources.
 * @param ensured  resources to add where there is none yet
 * @returns the pieces of the file that they are in
 * @throws {UnwritableError}
 */
export async function planResources(
  resources: ByteReader,
  edits: ResourceEdits,
  ensured: readonly number[],
): Promise<readonly Piece[]> {
  const pieces = new PieceList();
  const missing = new Set(ensured);
  let rest = 0;
  for await (const { id, at, dataAt, end, data } of resourcesIn(resources)) {
    const edit = edits[id];
    missing.delete(id);
    if (edit) {
      const edited = await edit(await contentOf(data));
      if (edited) {
        // Signature, number and name stay.
        const head = await contentOf(resources.part(at, dataAt - at - 4));
        pieces.add(write(head, edited));
      }
    } else {
      pieces.keep(resources.start + at, resources.start + end);
    }
    rest = end;
  }
  if (rest < resources.size) {
    throw new UnwritableError('the image resources are damaged');
  }
  for (const id of missing) {
    const added = (await edits[id]?.(null)) ?? null;
    if (added) {
      const head = concat(bytesOfLatin1('8BIM'), bytesOfNumber(id, 2), new Uint8Array(2));
      pieces.add(write(head, added));
    }
  }
  return pieces.all;
}

/** Rewrites resources in memory. @throws {UnwritableError} */
export async function editResources(
  resources: Uint8Array,
  texts: MetadataTexts,
  ensured: readonly ('iptc' | 'xmp')[],
): Promise<Uint8Array> {
  const reader = ByteReader.overBytes(resources);
  const numbers = ensured.map((name) => RESOURCE[name]);
  return joinPieces(reader, await planResources(reader, textEdits(texts), numbers));
}

/** @param head  signature, number and name */
function write(head: Uint8Array, data: Uint8Array): Uint8Array {
  return concat(head, bytesOfNumber(data.length, 4), data, new Uint8Array(data.length % 2));
}
