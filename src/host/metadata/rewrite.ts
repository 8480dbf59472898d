import type { CopyMetadata } from '../host.js';
import { latin1, readPart, unchangeable, type ByteSource, type Piece } from './bytes.js';
import { planJpeg } from './jpeg.js';
import { planPng } from './png.js';
import { planPsd } from './psd.js';
import { planTiff } from './tiff.js';

/** The formats whose metadata can be rewritten, by the first characters of their files. */
const PLANS: readonly (readonly [string, typeof planJpeg])[] = [
  ['\xff\xd8\xff', planJpeg],
  ['\x89PNG', planPng],
  ['8BPS', planPsd],
  ['II*\0', planTiff],
  ['MM\0*', planTiff],
];

/**
 * How to rewrite a file with changed metadata and the same pixels (docs/decisions/0032-export-copies.md).
 * @returns the parts of the new file, in order
 * @throws {CwError} CW-810 for another format, and for a file that is not understood
 */
export async function planMetadata(
  source: ByteSource,
  changes: CopyMetadata,
): Promise<readonly Piece[]> {
  const start = latin1(await readPart(source, 0, Math.min(4, source.size)));
  const plan = PLANS.find(([signature]) => start.startsWith(signature))?.[1];
  if (!plan) {
    throw unchangeable('the format is not supported');
  }
  return plan(source, changes);
}
