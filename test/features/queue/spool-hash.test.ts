import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { spoolSha256 } from '../../../src/features/queue/spool-hash.js';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memorySpool, MemoryStorage } from '../../support/memory-host.js';

it('reads a copy in short parts to hash it', async () => {
  const bytes = Uint8Array.from({ length: 1_000_001 }, (_, index) => index % 251);
  const storage = new MemoryStorage();
  storage.spool.set('a', bytes);
  const spool = memorySpool(storage);
  let longest = 0;
  const clock = new FakeClock();
  const watched: typeof spool = {
    ...spool,
    open: async (id) => {
      const reader = await spool.open(id);
      return {
        ...reader,
        read: (start, end) => {
          longest = Math.max(longest, end - start);
          return reader.read(start, end);
        },
      };
    },
  };
  const hash = spoolSha256('a', bytes.length, { spool: watched, clock, signal: NEVER_CANCELLED });
  expect(await clock.runUntil(hash, { stepMs: 1 })).toBe(
    createHash('sha256').update(bytes).digest('hex'),
  );
  expect(longest).toBeLessThanOrEqual(256 * 1024);
});
