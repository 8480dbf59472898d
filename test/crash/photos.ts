import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256, writeFiles, type TestFile } from '../flows/files.js';

/** A file that the run uploads: a photo, or a later version of one. */
export interface CrashPhoto extends TestFile {
  /** Name and size, which no two files share. */
  readonly key: string;
  /** The earlier version; null for a new photo. */
  readonly earlier: CrashPhoto | null;
  /** Whether its metadata identifies the document. Otherwise the user answers whether it is a later version. */
  readonly hasDocument: boolean;
}

/** Bytes of the smallest file with an identity. */
const SMALLEST_DOCUMENT = 1_000;

/**
 * Writes new photos, then later versions of some of them under the same names. Every other photo has an identity.
 * @param sizes  bytes of each file; the last `versions` of them are later versions
 */
export async function writePhotos(
  folder: string,
  sizes: readonly number[],
  versions: number,
): Promise<readonly CrashPhoto[]> {
  const photos: CrashPhoto[] = [];
  const fresh = sizes.length - versions;
  for (const [index, size] of sizes.entries()) {
    // The first photos are the largest: a later version of one can be added while the photo is still queued.
    const earlier = index < fresh ? null : (photos[(index - fresh) % fresh] ?? null);
    const hasDocument = (earlier === null ? index : index - fresh) % 2 === 0;
    const own = join(folder, earlier === null ? 'new' : 'later');
    await mkdir(own, { recursive: true });
    const name = earlier?.name ?? `IMG_${String(index + 1).padStart(4, '0')}.jpg`;
    const wanted = hasDocument ? Math.max(size, SMALLEST_DOCUMENT) : size;
    const bytes = wanted === earlier?.size ? wanted + 1 : wanted;
    const [file] = await writeFiles(own, { [name]: bytes });
    if (!file) throw new Error('no file was written');
    const written = hasDocument ? await identify(file) : file;
    photos.push({ ...written, key: keyOf(written), earlier, hasDocument });
  }
  return photos;
}

export function keyOf({ name, size }: { readonly name: string; readonly size: number }): string {
  return `${name} ${size}`;
}

/** Writes XMP with an identity over the beginning of a JPEG. */
async function identify(file: TestFile): Promise<TestFile> {
  const xmp = `http://ns.adobe.com/xap/1.0/\0<rdf:RDF><rdf:Description xmpMM:DocumentID="xmp.did:${file.name}"/></rdf:RDF>`;
  const head = Buffer.from(`\xff\xd8\xff\xe1\0\0${xmp}\xff\xda`, 'latin1');
  head.writeUInt16BE(xmp.length + 2, 4);
  const bytes = await readFile(file.path);
  head.copy(bytes);
  await writeFile(file.path, bytes);
  return { ...file, sha256: sha256(bytes) };
}
