import { sha256 } from '@noble/hashes/sha2.js';
import { fromUint8Array, toUint8Array } from 'js-base64';
import {
  UnwritableError,
  type ByteSource,
  type Piece,
} from '../../../packages/image-metadata/index.js';
import { hexOf } from '../../util/hex.js';
import { sleep, type Clock } from '../../util/clock.js';

/** Bytes that are hashed or written at a time: work of some milliseconds, so that the panel can be drawn in between. */
const SLICE_BYTES = 256 * 1024;
/** How much of the former content of one file is kept for Undo. A file that would lose more is not changed. Bytes. */
const MAX_FORMER_BYTES = 512 * 1024;

/** A part of a file as JSON: a range of another file, or bytes in Base64. */
export type StoredPiece = string | readonly [from: number, to: number];

/**
 * The changed part of a short file, and what is the same around it; null where nothing changes.
 * @param before  null for none
 */
export function changedPieces(
  before: Uint8Array | null,
  edit: (before: Uint8Array | null) => Uint8Array | null,
): readonly Piece[] | null {
  const after = edit(before);
  if (after === null || after === before) {
    return null;
  }
  return before ? between(before, after) : [after];
}

function between(before: Uint8Array, after: Uint8Array): readonly Piece[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
  }
  return [
    { from: 0, to: start },
    after.slice(start, after.length - end),
    { from: before.length - end, to: before.length },
  ];
}

/** The content of a file in pieces of another one, some at a time. */
export async function* bytesOf(
  source: ByteSource,
  pieces: readonly Piece[],
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece;
    } else {
      for (let at = piece.from; at < piece.to; at += SLICE_BYTES) {
        yield await source.read(at, Math.min(piece.to, at + SLICE_BYTES));
      }
    }
  }
}

/** The SHA-256, in lower-case hex, of a file in pieces of another one. */
export async function digestOf(
  source: ByteSource,
  clock: Clock,
  pieces: readonly Piece[] = [{ from: 0, to: source.size }],
): Promise<string> {
  const hash = sha256.create();
  for await (const bytes of bytesOf(source, pieces)) {
    hash.update(bytes);
    if (bytes.length >= SLICE_BYTES) {
      await sleep(clock, 0);
    }
  }
  return hexOf(hash.digest());
}

/**
 * The file as it was, in pieces of the new one and bytes that it has lost.
 * @throws {UnwritableError} when these are too many
 */
export async function reversed(
  source: ByteSource,
  pieces: readonly Piece[],
): Promise<readonly StoredPiece[]> {
  let place = 0;
  const kept: { from: number; to: number; at: number }[] = [];
  for (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) {
      kept.push({ ...piece, at: place });
    }
    place += piece instanceof Uint8Array ? piece.length : piece.to - piece.from;
  }
  const stored: StoredPiece[] = [];
  let at = 0;
  let lost = 0;
  const lose = async (to: number): Promise<void> => {
    lost += Math.max(0, to - at);
    if (lost > MAX_FORMER_BYTES) {
      throw new UnwritableError('too much of the file would change');
    }
    if (to > at) {
      stored.push(fromUint8Array(await source.read(at, to)));
    }
  };
  for (const { from, to, at: offset } of kept.sort((one, other) => one.from - other.from)) {
    await lose(from);
    if (to > from) {
      stored.push([offset, offset + to - from]);
    }
    at = to;
  }
  await lose(source.size);
  return stored;
}

/** Reads stored pieces; null for anything else. */
export function readPieces(value: unknown): readonly Piece[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const pieces = list.flatMap((one: unknown): readonly Piece[] => {
    if (typeof one === 'string') {
      return [toUint8Array(one)];
    }
    const range: readonly unknown[] = Array.isArray(one) ? one : [];
    const [from, to] = range;
    return typeof from === 'number' && typeof to === 'number' ? [{ from, to }] : [];
  });
  return Array.isArray(value) && pieces.length === list.length ? pieces : null;
}

/** A short file in memory, as one that is read in parts. */
export function inMemory(bytes: Uint8Array): ByteSource & { close(): Promise<void> } {
  return {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
    close: () => Promise.resolve(),
  };
}
