import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import type { SpoolReader } from '../../src/host/host.js';
import { PhotoDigest } from '../../src/uploads/photo-digest.js';
import { crc32c } from '../support/crc32c.js';
import { codeOf, rejectionOf } from '../support/outcome.js';
import { seededBytes, testRuns, testSeed } from '../support/seeded-random.js';

const PIECE = 8 * 1024 * 1024;
const SIZE = 3 * PIECE + 17;
const copy = Uint8Array.from({ length: SIZE }, (_, index) => (index * 31) ^ (index >> 8));
const whole = crc32c(copy);

interface Reads {
  readonly reader: SpoolReader;
  /** Length of each read. */
  readonly lengths: number[];
}

function readerOf(bytes: Uint8Array<ArrayBuffer>, asBlob = false): Reads {
  const lengths: number[] = [];
  return {
    lengths,
    reader: {
      read: (start, end) => {
        lengths.push(end - start);
        const part = bytes.slice(start, end);
        return Promise.resolve(asBlob ? new Blob([part]) : part.buffer);
      },
      close: () => Promise.resolve(),
    },
  };
}

describe('the digest of a photo', () => {
  it('that is sent from memory comes from what is sent, and nothing is read for it', async () => {
    const { reader, lengths } = readerOf(copy);
    const digest = new PhotoDigest(reader, SIZE, NEVER_CANCELLED);
    for (let start = 0; start < SIZE; start += 1_000_000)
      await digest.count(start, copy.slice(start, start + 1_000_000).buffer);
    expect(await digest.value()).toBe(whole);
    expect(lengths).toEqual([]);
  });

  it.each([1, 1_500_000, SIZE - 1])(
    'of which %d bytes were sent before comes from the copy for those',
    async (from) => {
      const { reader, lengths } = readerOf(copy);
      const digest = new PhotoDigest(reader, SIZE, NEVER_CANCELLED);
      await digest.count(from, copy.slice(from).buffer);
      expect(await digest.value()).toBe(whole);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(from);
    },
  );

  it.each([false, true])(
    'is read in pieces that stay small, however large the photo is (as Blobs: %s)',
    async (asBlob) => {
      const { reader, lengths } = readerOf(copy, asBlob);
      const digest = new PhotoDigest(reader, SIZE, NEVER_CANCELLED);
      if (asBlob) await digest.count(0, new Blob([copy]));
      expect(await digest.value()).toBe(whole);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(PIECE);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(SIZE);
    },
  );

  it('is the same whatever is sent, cut short and sent again', async () => {
    const seed = testSeed();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 80 }), fc.boolean()), {
          maxLength: 12,
        }),
        async (bytes, sendings) => {
          const photo = Uint8Array.from(bytes);
          const digest = new PhotoDigest(readerOf(photo).reader, photo.length, NEVER_CANCELLED);
          for (const [at, length] of sendings) {
            const start = at % photo.length;
            await digest.count(start, photo.slice(start, start + length).buffer);
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
        await new PhotoDigest(readerOf(other).reader, other.length, NEVER_CANCELLED).value(),
      );
    }
    expect(values.size).toBe(photo.length * 8 + 1);
  });
});

describe('a copy that cannot be read for its digest', () => {
  it('is CW-607, also where the host reads what it sends', async () => {
    const broken = { arrayBuffer: () => Promise.reject(new Error('NotReadable')), size: 10 };
    const reader: SpoolReader = {
      read: () => Promise.resolve(broken as unknown as Blob),
      close: () => Promise.resolve(),
    };
    const digest = new PhotoDigest(reader, 10, NEVER_CANCELLED);
    await digest.count(0, broken as unknown as Blob);
    expect(await codeOf(digest.value())).toBe('CW-607');
  });

  it('keeps the code it has', async () => {
    const reader: SpoolReader = {
      read: () => Promise.reject(new CwError('CW-607', 'gone')),
      close: () => Promise.resolve(),
    };
    expect(await codeOf(new PhotoDigest(reader, 10, NEVER_CANCELLED).value())).toBe('CW-607');
  });
});

it('is given up when the upload is', async () => {
  const source = new CancelSource();
  const { reader, lengths } = readerOf(copy, true);
  const digest = new PhotoDigest(
    {
      ...reader,
      read: (start, end) => {
        if (start > 0) source.cancel();
        return reader.read(start, end);
      },
    },
    SIZE,
    source.signal,
  );
  await digest.count(0, new Blob([copy]));
  expect(await rejectionOf(digest.value())).toBeInstanceOf(CancelledError);
  expect(lengths).toHaveLength(2);
});
