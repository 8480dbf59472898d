import type { FolderTree } from '../../host/folders.js';
import type { Clock } from '../../util/clock.js';
import { isJsonObject, numberField, textField } from '../../util/json.js';
import type { Select } from './client-selects.js';
import { readDigest, readDocuments, readSidecarDocuments } from './file-facts.js';
import type { LocalPhoto, LocalPhotos } from './local-photos.js';

/** How many files are opened for the identity of their document. */
const MAX_OPENED = 2_000;
/** How many documents one request is about. */
const DOCUMENTS_AT_ONCE = 500;

export interface RenamedOptions {
  readonly tree: FolderTree;
  readonly clock: Clock;
  readonly local: LocalPhotos;
  /** Sends a request to the service; the body of a 200, null for a 404. */
  readonly request: (
    path: string,
    body?: object,
  ) => Promise<Readonly<Record<string, unknown>> | null>;
  /** Called before each file and request. @throws {CancelledError} */
  readonly step: () => void;
}

/** A photo that was recognized, by one of its files. */
export interface Recognized {
  readonly photo: LocalPhoto;
  readonly path: string;
}

/** One photo each, or several that may be meant; a select without any is left out. */
type Found = ReadonlyMap<Select, readonly Recognized[]>;

/**
 * Finds photos whatever their names: by their bytes, else by their documents.
 * @param candidates  photos that may be meant
 * @throws {CwError} of the requests
 */
export async function findRenamed(
  selects: readonly Select[],
  candidates: readonly LocalPhoto[],
  options: RenamedOptions,
): Promise<Found> {
  const byBytes = await findByBytes(selects, candidates, options);
  const taken = new Set([...byBytes.values()].flat().map(({ photo }) => photo));
  const byDocument = await findByDocument(
    selects.filter((select) => !byBytes.has(select)),
    candidates.filter((photo) => !taken.has(photo)),
    options,
  );
  return new Map([...byBytes, ...byDocument]);
}

/** Files with the bytes of a version. Only files of the same size are read. */
async function findByBytes(
  selects: readonly Select[],
  candidates: readonly LocalPhoto[],
  { tree, clock, request, step }: RenamedOptions,
): Promise<Found> {
  const wanted = new Map<number, { readonly select: Select; readonly digest: string }[]>();
  for (const select of selects) {
    step();
    const upload = await request(`/uploads/${encodeURIComponent(select.photo)}`);
    const versions: readonly unknown[] = Array.isArray(upload?.['versions'])
      ? upload['versions']
      : [];
    for (const version of [upload, ...versions]) {
      const size = isJsonObject(version) ? numberField(version, 'size') : null;
      const digest = isJsonObject(version) ? textField(version, 'sha256') : null;
      if (size !== null && size > 0 && digest !== null) {
        wanted.set(size, [...(wanted.get(size) ?? []), { select, digest }]);
      }
    }
  }
  const found = new Map<Select, Recognized[]>();
  for (const photo of wanted.size > 0 ? candidates : []) {
    for (const path of photo.files) {
      step();
      const stat = await tree.stat(path);
      const same = (stat && wanted.get(stat.size)) ?? [];
      const digest = same.length > 0 ? await readDigest(tree, path, clock) : null;
      for (const { select } of same.filter((one) => one.digest === digest)) {
        addOnce(found, select, { photo, path });
      }
    }
  }
  return found;
}

/** Photos whose document is that of an upload, or that were made from the same one, by the identities in their XMP. */
async function findByDocument(
  selects: readonly Select[],
  candidates: readonly LocalPhoto[],
  options: RenamedOptions,
): Promise<Found> {
  const byPhoto = new Map(selects.map((select) => [select.photo, select]));
  const identities = selects.length > 0 ? await identitiesOf(candidates, options) : [];
  const found = new Map<Select, Recognized[]>();
  for (let at = 0; at < identities.length; at += DOCUMENTS_AT_ONCE) {
    options.step();
    const part = identities.slice(at, at + DOCUMENTS_AT_ONCE);
    const links = part.map(({ document }) => ({ document }));
    const body = await options.request('/photos/status', { links });
    const answers: readonly unknown[] = Array.isArray(body?.['links']) ? body['links'] : [];
    part.forEach(({ recognized }, index) => {
      const answer = answers[index];
      const current = isJsonObject(answer) ? answer['current'] : null;
      const id = isJsonObject(current) ? textField(current, 'photo') : null;
      const select = byPhoto.get(id ?? '');
      if (select) {
        addOnce(found, select, recognized);
      }
    });
  }
  return found;
}

/** The identities of documents in the first file of each photo that has any. */
async function identitiesOf(
  photos: readonly LocalPhoto[],
  { tree, local, step }: RenamedOptions,
): Promise<readonly { readonly document: string; readonly recognized: Recognized }[]> {
  const identities: { readonly document: string; readonly recognized: Recognized }[] = [];
  let opened = 0;
  for (const photo of photos) {
    for (const { path, kind } of local.identitySources(photo)) {
      step();
      opened += kind === 'embedded' ? 1 : 0;
      const documents =
        kind === 'sidecar'
          ? await readSidecarDocuments(tree, path)
          : opened <= MAX_OPENED
            ? await readDocuments(tree, path)
            : [];
      const file = photo.files.includes(path) ? path : (photo.files[0] ?? '');
      identities.push(
        ...documents.map((document) => ({ document, recognized: { photo, path: file } })),
      );
      if (documents.length > 0) {
        break;
      }
    }
  }
  return identities;
}

/** Adds a photo that is not there yet by another file. */
function addOnce(found: Map<Select, Recognized[]>, select: Select, recognized: Recognized): void {
  const list = found.get(select) ?? [];
  found.set(select, list);
  if (!list.some(({ photo }) => photo === recognized.photo)) {
    list.push(recognized);
  }
}
