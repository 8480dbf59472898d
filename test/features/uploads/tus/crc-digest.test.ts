import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTask } from 'node:timers/promises';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../../../src/util/cancel.js';
import { CwError } from '../../../../src/util/errors.js';
import type { SpoolReader } from '../../../../src/host/spool.js';
import { streamChunks } from '../../../../src/host/chunks.js';
import { CrcDigest } from '../../../../src/features/uploads/tus/crc-digest.js';
import { crc32c } from '../../../support/crc32c.js';
import { codeOf, rejectionOf } from '../../../support/outcome.js';
import fc from '../../../support/properties.js';
import { readerBy } from '../../../support/reader-by.js';
import { seededBytes, testRuns, testSeed } from '../../../support/seeded-random.js';

const PIECE = 1024 * 1024;
const SIZE = 9 * PIECE + 17;
const copy = Uint8Array.from({ length: SIZE }, (_, index) => (index * 31) ^ (index >> 8));
const whole = crc32c(copy);

interface Reads {
  readonly reader: SpoolReader;
  /** Length of each read. */
  readonly lengths: number[];
}

function readerOf(bytes: Uint8Array<ArrayBuffer>): Reads {
  const lengths: number[] = [];
  return {
    lengths,
    reader: readerBy((start, end) => {
      lengths.push(end - start);
      return Promise.resolve(bytes.slice(start, end).buffer);
    }),
  };
}

/** So small that a photo of a few bytes has several. */
const SMALL_PIECE = 16;

function inSmallPieces(bytes: Uint8Array<ArrayBuffer>): SpoolReader {
  return {
    ...readerOf(bytes).reader,
    async *chunks(start, end) {
      for (let at = start; at < end; at += SMALL_PIECE) {
        await Promise.resolve();
        yield bytes.slice(at, Math.min(at + SMALL_PIECE, end));
      }
    },
  };
}

/** The input of a host that streams the file itself. */
function blobOf(size: number): Blob {
  return { size } as Blob;
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0);
}

describe('the digest of a photo', () => {
  it('is computed from bytes sent from memory, without a read', async () => {
    const { reader, lengths } = readerOf(copy);
    const digest = new CrcDigest(reader, SIZE, NEVER_CANCELLED);
    for (let start = 0; start < SIZE; start += 1_000_000)
      digest.update(start, copy.slice(start, start + 1_000_000).buffer);
    expect(await digest.value()).toBe(whole);
    expect(lengths).toEqual([]);
  });

  it.each([1, 1_500_000, SIZE - 1_000_001])(
    'is read from the copy up to the offset when %d bytes were sent before',
    async (from) => {
      const { reader, lengths } = readerOf(copy);
      const digest = new CrcDigest(reader, SIZE, NEVER_CANCELLED);
      const between = from + 1_000_000;
      digest.update(from, copy.slice(from, between).buffer);
      // Nothing waits for it: the chunk leaves, and is confirmed in its time.
      await nextTask();
      digest.update(between, copy.slice(between).buffer);
      expect(await digest.value()).toBe(whole);
      // Whole pieces are read.
      expect(sumOf(lengths)).toBe(Math.min(Math.ceil(between / PIECE) * PIECE, SIZE));
    },
  );

  it('is read in parallel to a streamed request, up to its offset', async () => {
    const { reader, lengths } = readerOf(copy);
    const digest = new CrcDigest(reader, SIZE, NEVER_CANCELLED);
    digest.update(0, blobOf(3 * PIECE));
    await nextTask();
    expect(lengths).toEqual([PIECE, PIECE, PIECE]);
    digest.update(3 * PIECE, blobOf(SIZE - 3 * PIECE));
    await nextTask();
    // The digest is complete before it is requested.
    expect(sumOf(lengths)).toBe(SIZE);
    await digest.value();
    expect(sumOf(lengths)).toBe(SIZE);
  });

  it('is available at any position of the reading', async () => {
    for (const turns of [0, 1, 2, 3, 5, 8, 50]) {
      const { reader, lengths } = readerOf(copy);
      const digest = new CrcDigest(reader, SIZE, NEVER_CANCELLED);
      digest.update(0, blobOf(100));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      expect(await Promise.all([digest.value(), digest.value()])).toEqual([whole, whole]);
      expect(sumOf(lengths)).toBe(SIZE);
    }
  });

  it('is the same when chunks are cut short and sent again', async () => {
    const seed = testSeed();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 80 }), fc.boolean()), {
          maxLength: 12,
        }),
        async (bytes, sendings) => {
          const photo = Uint8Array.from(bytes);
          const digest = new CrcDigest(inSmallPieces(photo), photo.length, NEVER_CANCELLED);
          for (const [at, length, isBlob] of sendings) {
            const start = at % photo.length;
            const part = photo.slice(start, start + length);
            digest.update(start, isBlob ? blobOf(part.length) : part.buffer);
            // Between two of them the reading gets on by a little, or comes to where it may.
            if (at % 2 === 0) await nextTask();
            for (let turn = 0; turn < at % 7; turn += 1) await Promise.resolve();
          }
          expect(await digest.value()).toBe(crc32c(photo));
        },
      ),
      { seed, numRuns: testRuns(200) },
    );
  });

  it('differs for each bit that differs', async () => {
    const photo = Uint8Array.from(seededBytes(3)(64));
    const values = new Set([crc32c(photo)]);
    for (let bit = 0; bit < photo.length * 8; bit += 1) {
      const other = photo.slice();
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      values.add(
        await new CrcDigest(readerOf(other).reader, other.length, NEVER_CANCELLED).value(),
      );
    }
    expect(values.size).toBe(photo.length * 8 + 1);
  });
});

describe('a copy that cannot be read for its digest', () => {
  it('fails with CW-607, also when the host streams the file', async () => {
    const digest = new CrcDigest(
      readerBy(() => Promise.reject(new Error('NotReadable'))),
      10,
      NEVER_CANCELLED,
    );
    digest.update(0, blobOf(10));
    expect(await codeOf(digest.value())).toBe('CW-607');
    expect(await codeOf(digest.value())).toBe('CW-607');
  });

  it('keeps the code of its error', async () => {
    const reader = readerBy(() => Promise.reject(new CwError('CW-607', 'gone')));
    expect(await codeOf(new CrcDigest(reader, 10, NEVER_CANCELLED).value())).toBe('CW-607');
  });

  it('fails with CW-607 when it is shorter than the photo', async () => {
    const whole = readerBy((start, end) => Promise.resolve(new ArrayBuffer(end - start)));
    const short: SpoolReader = { ...whole, chunks: (start, end) => whole.chunks(start, end - 1) };
    expect(await codeOf(new CrcDigest(short, 10, NEVER_CANCELLED).value())).toBe('CW-607');
  });

  it('can be read again by the next request', async () => {
    let isThere = false;
    const reader = readerBy((start, end) =>
      isThere
        ? Promise.resolve(copy.slice(start, end).buffer)
        : Promise.reject(new Error('the disk is away')),
    );
    const digest = new CrcDigest(reader, SIZE, NEVER_CANCELLED);
    digest.update(0, blobOf(SIZE));
    await nextTask();
    isThere = true;
    expect(await digest.value()).toBe(whole);
  });
});

describe('a cancelled upload', () => {
  it('cancels its digest', async () => {
    const source = new CancelSource();
    const { reader, lengths } = readerOf(copy);
    const cancelling = readerBy((start, end) => {
      if (start > 0) source.cancel();
      return reader.read(start, end);
    });
    const digest = new CrcDigest(cancelling, SIZE, source.signal);
    digest.update(0, blobOf(SIZE));
    expect(await rejectionOf(digest.value())).toBeInstanceOf(CancelledError);
    expect(lengths).toHaveLength(2);
  });

  it('closes its open file', async () => {
    let isClosed = false;
    const stream = new ReadableStream<Uint8Array>({
      type: 'bytes',
      pull: (controller) => {
        controller.enqueue(new Uint8Array(1000));
      },
      cancel: () => {
        isClosed = true;
      },
    });
    const blob = { stream: () => stream } as unknown as Blob;
    const digest = new CrcDigest(
      { ...readerOf(copy).reader, chunks: () => streamChunks(blob) },
      SIZE,
      NEVER_CANCELLED,
    );
    digest.update(0, blobOf(1000));
    await nextTask();
    expect(isClosed).toBe(false);
    digest.close();
    await nextTask();
    expect(isClosed).toBe(true);
  });
});
