import { ByteReader, findEmbedded } from '../../../packages/image-metadata/index.js';
import type { FolderTree } from '../../host/host.js';
import { CwError } from '../../util/errors.js';
import type { Clock } from '../../util/clock.js';
import { documentsIn, MAX_SIDECAR_BYTES, XMP_LIMITS } from './renamed-files.js';
import { digestOf } from './rewriting.js';

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
export async function readFileFacts(
  tree: Pick<FolderTree, 'open'>,
  path: string,
  clock: Clock,
): Promise<FileFacts | null> {
  try {
    const file = await tree.open(path);
    try {
      const { xmp } = await findEmbedded(ByteReader.over(file, XMP_LIMITS));
      const packet = xmp && xmp.size <= MAX_SIDECAR_BYTES ? await xmp.read(0, xmp.size) : null;
      return {
        sha256: await digestOf(file, clock),
        documents: packet ? documentsIn(packet) : [],
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CwError && error.code === 'CW-602') {
      return null;
    }
    throw error;
  }
}
