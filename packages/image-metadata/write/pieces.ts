/**
 * Files in pieces: a rewritten file is a list of parts of the old one and of new bytes, so memory does not grow with the
 * file.
 * @packageDocumentation
 */
import type { ByteReader } from '../byte-reader.js';
import { concat } from '../byte-source.js';

/** A part of a rewritten file: bytes of the old file, or new ones. */
export type Piece = Uint8Array | { readonly from: number; readonly to: number };

/** Metadata longer than this are not read into memory. Bytes. */
const MAX_BLOCK_BYTES = 32 * 1024 * 1024;
/** The most pieces of one file. Neighbours that stay are one piece. */
const MAX_PIECES = 20_000;

/** A file whose metadata cannot be changed safely. The message is for engineers. */
export class UnwritableError extends Error {}

/** All bytes of a part. @throws {UnwritableError} when it is too long, or beyond the limits of its reader */
export async function contentOf(part: ByteReader | null): Promise<Uint8Array> {
  const bytes = part && part.size <= MAX_BLOCK_BYTES ? await part.read(0, part.size) : null;
  if (!bytes) {
    throw new UnwritableError('a block of metadata is missing or too long');
  }
  return bytes;
}

/** Collects the pieces of a file. */
export class PieceList {
  private readonly pieces: (Uint8Array | { from: number; to: number })[] = [];

  get all(): readonly Piece[] {
    return this.pieces;
  }

  /** Keeps a part of the old file. @throws {UnwritableError} for too many pieces */
  keep(from: number, to: number): void {
    const last = this.pieces[this.pieces.length - 1];
    if (last && 'to' in last && last.to === from) {
      last.to = to;
    } else if (to > from) {
      this.push({ from, to });
    }
  }

  /** Adds new bytes. @throws {UnwritableError} for too many pieces */
  add(bytes: Uint8Array): void {
    this.push(bytes);
  }

  private push(piece: Uint8Array | { from: number; to: number }): void {
    if (this.pieces.length >= MAX_PIECES) {
      throw new UnwritableError('the metadata have too many parts');
    }
    this.pieces.push(piece);
  }
}

/** All bytes of a list of pieces of a short file. @throws {UnwritableError} */
export async function joinPieces(
  file: ByteReader,
  pieces: readonly Piece[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    parts.push(
      piece instanceof Uint8Array
        ? piece
        : await contentOf(file.part(piece.from, piece.to - piece.from)),
    );
  }
  return concat(...parts);
}

export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.to - piece.from),
    0,
  );
}
