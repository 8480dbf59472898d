/**
 * Files in pieces, for rewriting their metadata: a rewritten file is a list of parts of the old one and of new bytes, so
 * memory does not grow with the file.
 * @packageDocumentation
 */
import type { ByteSource } from '../../../packages/image-metadata/index.js';
import { CwError } from '../../util/errors.js';

export type { ByteSource };

/** A part of a rewritten file: bytes of the old file, or new ones. */
export type Piece = Uint8Array | { readonly from: number; readonly to: number };

/** Metadata longer than this is not read into memory. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

/** How much is read at once where headers follow each other closely. */
const WINDOW_BYTES = 64 * 1024;

/**
 * The error (CW-810) for a file whose metadata cannot be changed safely.
 * @param reason  for engineers
 */
export function unchangeable(reason: string): CwError {
  return new CwError('CW-810', `the metadata of the copy cannot be changed: ${reason}`);
}

/** Bytes in memory as a file. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.slice(start, end)),
  };
}

/** Reads ahead, for a walk through many small headers. */
export class WindowedSource implements ByteSource {
  private window = new Uint8Array(0);
  private start = 0;

  readonly size: number;

  constructor(private readonly source: ByteSource) {
    this.size = source.size;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    if (end - start > WINDOW_BYTES) {
      return this.source.read(start, end);
    }
    if (start < this.start || end > this.start + this.window.length) {
      this.start = start;
      this.window = new Uint8Array(
        await this.source.read(start, Math.min(this.size, start + WINDOW_BYTES)),
      );
    }
    return this.window.slice(start - this.start, end - this.start);
  }
}

/** Reads a part that the file must have, and that is short enough. @throws {CwError} CW-810 */
export async function readPart(
  source: ByteSource,
  start: number,
  end: number,
): Promise<Uint8Array> {
  if (!(start >= 0 && start <= end && end <= source.size)) {
    throw unchangeable('a part reaches beyond the end');
  }
  if (end - start > MAX_BYTES) {
    throw unchangeable('a part is too long');
  }
  return start === end ? new Uint8Array(0) : source.read(start, end);
}

/** All bytes of a list of pieces of a short file. */
export async function joinPieces(
  source: ByteSource,
  pieces: readonly Piece[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    parts.push(piece instanceof Uint8Array ? piece : await readPart(source, piece.from, piece.to));
  }
  return concat(...parts);
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.to - piece.from),
    0,
  );
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Text whose characters are bytes (ISO 8859-1). */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (const byte of bytes.subarray(start, end)) {
    text += String.fromCharCode(byte);
  }
  return text;
}

/** The bytes of a text that has no characters above U+00FF. */
export function bytesOfLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** A number with the highest byte first. */
export function bigEndian(value: number, bytes: 2 | 4): Uint8Array {
  const result = new Uint8Array(bytes);
  const view = viewOf(result);
  if (bytes === 2) {
    view.setUint16(0, value);
  } else {
    view.setUint32(0, value);
  }
  return result;
}
