import { findEmbedded, readXmp, ByteReader } from '../../../packages/image-metadata/index.js';
import { decodeUtf8 } from '../../../packages/utf8/index.js';
import type { FolderTree } from '../../host/host.js';
import { CwError } from '../../util/errors.js';
import { isJsonObject, numberField, textField } from '../../util/json.js';
import type { Select } from './client-selects.js';
import type { LocalPhoto, LocalPhotos } from './local-photos.js';
import { digestOf } from './rewriting.js';
import type { Clock } from '../../util/clock.js';

/** Longest sidecar that is read. Bytes. */
export const MAX_SIDECAR_BYTES = 8 * 1024 * 1024;
/** How many files are opened for the identity of their document. */
const MAX_OPENED = 2_000;
/** How many documents one request is about. */
const DOCUMENTS_AT_ONCE = 500;
/** What is read of a file to find its XMP. */
export const XMP_LIMITS = { reads: 4_000, bytes: 16 * 1024 * 1024, steps: 1_000_000 };
const NAMES = ['DocumentID', 'OriginalDocumentID', 'DerivedFrom'].flatMap((name) => [
  `xmpMM:${name}`,
  `xapMM:${name}`,
]);
const IDENTITY = /^[!-~]{1,200}$/;

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

/**
 * Files with the bytes of a version, whatever their names. Only files of the same size are read.
 * @param candidates  photos that may be meant
 * @throws {CwError} of the requests
 */
export async function findByBytes(
  selects: readonly Select[],
  candidates: readonly LocalPhoto[],
  { tree, clock, request, step }: RenamedOptions,
): Promise<ReadonlyMap<Select, readonly Recognized[]>> {
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
      const digest = same.length > 0 ? await digestOfFile(tree, path, clock) : null;
      for (const { select } of same.filter((one) => one.digest === digest)) {
        const list = found.get(select) ?? [];
        found.set(select, list);
        if (!list.some((one) => one.photo === photo)) {
          list.push({ photo, path });
        }
      }
    }
  }
  return found;
}

/** Null for a file that cannot be read. */
async function digestOfFile(tree: FolderTree, path: string, clock: Clock): Promise<string | null> {
  try {
    const file = await tree.open(path);
    try {
      return await digestOf(file, clock);
    } finally {
      await file.close();
    }
  } catch (error) {
    return skipUnreadable(error);
  }
}

/**
 * Photos whose document is that of an upload, or that were made from the same one, by the identities in their XMP.
 * @throws {CwError} of the requests
 */
export async function findByDocument(
  selects: readonly Select[],
  candidates: readonly LocalPhoto[],
  options: RenamedOptions,
): Promise<ReadonlyMap<Select, readonly Recognized[]>> {
  const byPhoto = new Map(selects.map((select) => [select.photo, select]));
  const asked: { readonly document: string; readonly recognized: Recognized }[] = [];
  let opened = 0;
  for (const photo of selects.length > 0 ? candidates : []) {
    for (const source of options.local.identitySources(photo)) {
      options.step();
      opened += source.kind === 'embedded' ? 1 : 0;
      const packet =
        source.kind === 'sidecar'
          ? await options.tree.read(source.path, MAX_SIDECAR_BYTES).catch(skipUnreadable)
          : opened <= MAX_OPENED
            ? await packetIn(options.tree, source.path)
            : null;
      const documents = packet ? documentsIn(packet) : [];
      const path = photo.files.includes(source.path) ? source.path : (photo.files[0] ?? '');
      asked.push(...documents.map((document) => ({ document, recognized: { photo, path } })));
      if (documents.length > 0) {
        break;
      }
    }
  }
  const found = new Map<Select, Recognized[]>();
  for (let at = 0; at < asked.length; at += DOCUMENTS_AT_ONCE) {
    options.step();
    const part = asked.slice(at, at + DOCUMENTS_AT_ONCE);
    const links = part.map(({ document }) => ({ document }));
    const body = await options.request('/photos/status', { links });
    const answers: readonly unknown[] = Array.isArray(body?.['links']) ? body['links'] : [];
    part.forEach(({ recognized }, index) => {
      const answer = answers[index];
      const current = isJsonObject(answer) ? answer['current'] : null;
      const id = isJsonObject(current) ? textField(current, 'photo') : null;
      const select = byPhoto.get(id ?? '');
      const list = select && (found.get(select) ?? []);
      if (select && list && !list.some(({ photo }) => photo === recognized.photo)) {
        list.push(recognized);
        found.set(select, list);
      }
    });
  }
  return found;
}

/** The XMP packet in a file; null when it has none, or cannot be read. */
async function packetIn(tree: FolderTree, path: string): Promise<Uint8Array | null> {
  try {
    const file = await tree.open(path);
    try {
      const { xmp } = await findEmbedded(ByteReader.over(file, XMP_LIMITS));
      return xmp && xmp.size <= MAX_SIDECAR_BYTES ? await xmp.read(0, xmp.size) : null;
    } finally {
      await file.close();
    }
  } catch (error) {
    return skipUnreadable(error);
  }
}

/** The identities of a document, and of the one that it was made from. */
export function documentsIn(packet: Uint8Array): readonly string[] {
  const { values, places } = readXmp(packet, NAMES);
  const own = [...values.values()].flat();
  const origins = places
    .filter(({ name }) => name.endsWith(':DerivedFrom'))
    .flatMap(({ from, to }) =>
      [...(decodeUtf8(packet.subarray(from, to)) ?? '').matchAll(ORIGIN)].map(([, id]) => id ?? ''),
    );
  return [...new Set([...own, ...origins])].filter((id) => IDENTITY.test(id));
}

/** `stRef:documentID` and `stRef:originalDocumentID`, as attributes and as elements. */
const ORIGIN = /:(?:documentID|originalDocumentID)\s?(?:=\s?["']|>)([^"'<>&\s]{1,200})/g;

function skipUnreadable(error: unknown): null {
  if (error instanceof CwError && error.code === 'CW-602') {
    return null;
  }
  throw error;
}
