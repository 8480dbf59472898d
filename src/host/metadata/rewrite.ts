import {
  applyPatches,
  findLocation,
  type ReadLimits,
} from '../../../packages/image-metadata/index.js';
import type { CopyMetadata } from '../host.js';
import { latin1, readPart, unchangeable, type ByteSource, type Piece } from './bytes.js';
import { writesTexts } from './changes.js';
import { planJpeg } from './jpeg.js';
import { planPng } from './png.js';
import { planPsd } from './psd.js';
import { planTiff } from './tiff.js';

/** The formats in which texts can be written, by the first characters of their files. */
const PLANS: readonly (readonly [string, typeof planJpeg])[] = [
  ['\xff\xd8\xff', planJpeg],
  ['\x89PNG', planPng],
  ['8BPS', planPsd],
  ['II*\0', planTiff],
  ['MM\0*', planTiff],
];

/** A copy is on this computer, so that much more is read than the service reads of a stranger's file. */
const LIMITS: ReadLimits = { reads: 2_000_000, bytes: 64 * 2 ** 30, steps: 100_000_000 };

/** A rewritten file: its parts in order, and where those of the old file are read. */
export interface RewrittenFile {
  readonly source: ByteSource;
  readonly pieces: readonly Piece[];
}

/**
 * How to rewrite a file with changed metadata and the same pixels (docs/decisions/0032-export-copies.md).
 * @throws {CwError} CW-810 for another format, and for a file that is not understood
 */
export async function planMetadata(
  file: ByteSource,
  changes: CopyMetadata,
): Promise<RewrittenFile> {
  const source = changes.removeLocation ? await withoutLocation(file) : file;
  if (!writesTexts(changes)) {
    return { source, pieces: [{ from: 0, to: source.size }] };
  }
  const start = latin1(await readPart(source, 0, Math.min(4, source.size)));
  const plan = PLANS.find(([signature]) => start.startsWith(signature))?.[1];
  if (!plan) {
    throw unchangeable('the format is not supported');
  }
  return { source, pieces: await plan(source, changes) };
}

/** The file as it is without its location, of the same length. @throws {CwError} CW-810 */
async function withoutLocation(file: ByteSource): Promise<ByteSource> {
  const found = await findLocation(file, LIMITS);
  if (found.kind === 'unsearchable') {
    throw unchangeable(`its location cannot be found (${found.reason})`);
  }
  return {
    size: file.size,
    read: async (start, end) => applyPatches(await file.read(start, end), start, found.patches),
  };
}
