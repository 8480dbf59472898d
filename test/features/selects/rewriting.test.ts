import { expect, it } from '@jest/globals';
import { UnwritableError } from '../../../packages/image-metadata/index.js';
import { inMemory, readPieces, reversed } from '../../../src/features/selects/rewriting.js';

const KIB = 1024;

it('stores at most 512 KiB that a file loses', async () => {
  const before = new Uint8Array(600 * KIB).fill(7);
  const most = await reversed(inMemory(before), [{ from: 0, to: 88 * KIB }]);
  expect(readPieces(most)).toEqual([{ from: 0, to: 88 * KIB }, before.subarray(88 * KIB)]);
  await expect(reversed(inMemory(before), [{ from: 0, to: 88 * KIB - 1 }])).rejects.toThrow(
    UnwritableError,
  );
});
