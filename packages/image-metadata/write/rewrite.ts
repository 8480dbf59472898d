import { ByteReader } from '../byte-reader.js';
import type { ByteSource } from '../byte-source.js';
import { kindOf, type Kind } from '../kinds.js';
import { findLocation } from '../location/find-location.js';
import { applyPatches } from '../patches.js';
import type { ReadLimits } from '../windowed-source.js';
import { writesTexts, type MetadataChanges, type MetadataTexts } from './changes.js';
import { planJpeg } from './jpeg.js';
import { UnwritableError, type Piece } from './pieces.js';
import { planPng } from './png.js';
import { planPhotoshop } from './photoshop.js';
import { planTiff } from './tiff.js';

type Plan = (file: ByteReader, texts: MetadataTexts) => Promise<readonly Piece[]>;

/** The formats in which texts can be written. */
const PLANS: Partial<Record<Kind, Plan>> = {
  jpeg: planJpeg,
  png: planPng,
  photoshop: planPhotoshop,
  tiff: planTiff,
};

/** How much is read to search for the location: the file is the user's own, so more than of a stranger's. */
const REWRITE_SEARCH_LIMITS: ReadLimits = {
  reads: 2_000_000,
  bytes: 64 * 2 ** 30,
  steps: 100_000_000,
};
/** How much is read to plan where texts go. A PNG file may have millions of chunks. */
export const REWRITE_LIMITS: ReadLimits = {
  reads: 2_000_000,
  bytes: 2 ** 30,
  steps: 5_000_000,
};

/** A rewritten file: its parts in order, and where those of the old file are read. */
export interface RewrittenFile {
  readonly source: ByteSource;
  readonly pieces: readonly Piece[];
}

/**
 * How to rewrite a file with changed metadata and the same pixels (docs/decisions/0016-export-copies.md).
 * @throws {UnwritableError} for another format, and for a file that is not understood
 */
export async function planMetadata(
  file: ByteSource,
  changes: MetadataChanges,
): Promise<RewrittenFile> {
  const source = changes.removeLocation ? await withoutLocation(file) : file;
  if (!writesTexts(changes)) {
    return { source, pieces: [{ from: 0, to: source.size }] };
  }
  const reader = ByteReader.over(source, REWRITE_LIMITS);
  const plan = PLANS[kindOf(await reader.head(16)) ?? 'archive'];
  if (!plan) {
    throw new UnwritableError('the format is not supported');
  }
  return { source, pieces: await plan(reader, changes) };
}

/** The file as it is without its location, of the same length. @throws {UnwritableError} */
async function withoutLocation(file: ByteSource): Promise<ByteSource> {
  const found = await findLocation(file, REWRITE_SEARCH_LIMITS);
  if (found.kind === 'unsearchable') {
    throw new UnwritableError(`the location cannot be found (${found.reason})`);
  }
  return {
    size: file.size,
    read: async (start, end) => applyPatches(await file.read(start, end), start, found.patches),
  };
}
