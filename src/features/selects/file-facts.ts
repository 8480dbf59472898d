import {
  ByteReader,
  findEmbedded,
  readXmp,
  type ByteSource,
} from '../../../packages/image-metadata/index.js';
import { decodeUtf8 } from '../../../packages/utf8/index.js';
import type { FolderTree, OpenFile } from '../../host/folders.js';
import { CwError } from '../../util/errors.js';
import type { Clock } from '../../util/clock.js';
import { MAX_XMP_BYTES } from './file-content.js';
import { digestOf } from './rewriting.js';

/** What is read of a file to find its XMP. */
const XMP_LIMITS = { reads: 4_000, bytes: 16 * 1024 * 1024, steps: 1_000_000 };
const NAMES = ['DocumentID', 'OriginalDocumentID', 'DerivedFrom'].flatMap((name) => [
  `xmpMM:${name}`,
  `xapMM:${name}`,
]);
const IDENTITY = /^[!-~]{1,200}$/;
/** `stRef:documentID` and `stRef:originalDocumentID`, as attributes and as elements. */
const ORIGIN = /:(?:documentID|originalDocumentID)\s?(?:=\s?["']|>)([^"'<>&\s]{1,200})/g;

/** What tells which file of a workspace a file is, whatever its name. */
export interface FileFacts {
  /** Of its bytes, in lower-case hex. */
  readonly sha256: string;
  /** The identities of its document, and of the one that it was made from, in its XMP. */
  readonly documents: readonly string[];
}

/**
 * Reads a whole file, a piece at a time.
 * @returns null for a file that cannot be read
 * @throws {CwError} CW-703
 */
export function readFileFacts(
  tree: Pick<FolderTree, 'open'>,
  path: string,
  clock: Clock,
): Promise<FileFacts | null> {
  return inFile(tree, path, async (file) => {
    const documents = await embeddedDocuments(file);
    return { sha256: await digestOf(file, clock), documents };
  });
}

/** The SHA-256 of a file, in lower-case hex; null for one that cannot be read. @throws {CwError} CW-703 */
export function readDigest(
  tree: Pick<FolderTree, 'open'>,
  path: string,
  clock: Clock,
): Promise<string | null> {
  return inFile(tree, path, (file) => digestOf(file, clock));
}

/** As in {@link FileFacts}; none for a file that cannot be read. @throws {CwError} CW-703 */
export async function readDocuments(
  tree: Pick<FolderTree, 'open'>,
  path: string,
): Promise<readonly string[]> {
  return (await inFile(tree, path, embeddedDocuments)) ?? [];
}

/** As {@link readDocuments}, of a sidecar. */
export async function readSidecarDocuments(
  tree: Pick<FolderTree, 'read'>,
  path: string,
): Promise<readonly string[]> {
  const packet = await tree.read(path, MAX_XMP_BYTES).catch(skipUnreadable);
  return packet ? documentsIn(packet) : [];
}

async function embeddedDocuments(file: ByteSource): Promise<readonly string[]> {
  const { xmp } = await findEmbedded(ByteReader.over(file, XMP_LIMITS));
  const packet = xmp && xmp.size <= MAX_XMP_BYTES ? await xmp.read(0, xmp.size) : null;
  return packet ? documentsIn(packet) : [];
}

function documentsIn(packet: Uint8Array): readonly string[] {
  const { values, places } = readXmp(packet, NAMES);
  const own = [...values.values()].flat();
  const origins = places
    .filter(({ name }) => name.endsWith(':DerivedFrom'))
    .flatMap(({ from, to }) =>
      [...(decodeUtf8(packet.subarray(from, to)) ?? '').matchAll(ORIGIN)].map(([, id]) => id ?? ''),
    );
  return [...new Set([...own, ...origins])].filter((id) => IDENTITY.test(id));
}

/** What is read in a file; null when it cannot be read. */
async function inFile<T>(
  tree: Pick<FolderTree, 'open'>,
  path: string,
  read: (file: OpenFile) => Promise<T>,
): Promise<T | null> {
  try {
    const file = await tree.open(path);
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    return skipUnreadable(error);
  }
}

function skipUnreadable(error: unknown): null {
  if (error instanceof CwError && error.code === 'CW-602') {
    return null;
  }
  throw error;
}
