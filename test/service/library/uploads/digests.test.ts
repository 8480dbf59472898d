import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { crc32c as native, crc32cInScript } from '../../../../service/library/uploads/crc32c.js';
import {
  HEAD_BYTES,
  readReprDigest,
  readThrough,
  writeReprDigest,
} from '../../../../service/library/uploads/digests.js';
import { seededRandom, testSeed } from '../../../support/seeded-random.js';
import { byBoth, bySha, crc32c, sha256 } from '../../support/repr-digest-fields.js';
import { photo } from '../../support/tus-client.js';

describe('digests of a file', () => {
  it.each([
    ['123456789', 'e3069283'],
    ['\0'.repeat(32), '8a9136aa'],
    ['\xff'.repeat(32), '62a8ab43'],
    ['', '00000000'],
  ])('match the test vectors of RFC 3720 appendix B.4: %j', async (text, crc) => {
    const bytes = Buffer.from(text, 'latin1');
    const { head, ...digests } = await readThrough(Readable.from([bytes]));
    expect(Buffer.from(head)).toEqual(bytes.subarray(0, HEAD_BYTES));
    expect(digests).toEqual({ sha256: sha256(bytes).toString('hex'), crc32c: crc });
    expect(crc32c(bytes).toString('hex')).toBe(crc);
  });

  it('are the same in native code and in JavaScript', () => {
    const random = seededRandom(testSeed());
    for (let count = 0; count < 200; count += 1) {
      const bytes = photo(Math.floor(random() * 2000), count);
      const before = Math.floor(random() * 2 ** 32);
      expect(native(bytes, before)).toBe(crc32cInScript(bytes, before));
      expect(native(bytes, 0)).toBe(crc32c(bytes).readUInt32BE());
    }
  });

  it('are the same for any chunking, and are written as structured fields', async () => {
    const bytes = Buffer.from(photo(10_000, 9));
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 7), bytes.subarray(7)];
    const { head, ...digests } = await readThrough(Readable.from(pieces));
    expect(Buffer.from(head)).toEqual(bytes.subarray(0, HEAD_BYTES));
    expect(writeReprDigest(digests)).toBe(byBoth(bytes));
    expect(writeReprDigest({ ...digests, crc32c: undefined })).toBe(bySha(bytes));
    expect(readReprDigest(byBoth(bytes))).toEqual({ expected: digests });
  });

  it.each([
    [undefined, undefined],
    ['md5=:AAAA:, unixsum=:AA==:', undefined],
    ['md5=:AAAA:;a=b, crc32c=:AAAAAA==:;x', { crc32c: '00000000' }],
    ['crc32c=:AAAAAA==:, crc32c=:AAAAAQ==:', { crc32c: '00000001' }],
    ['sha-512=what', undefined],
    ['', undefined],
  ])('expected in %j are %j', (header, expected) => {
    expect(readReprDigest(header)).toEqual({ expected });
  });

  it.each([
    'crc32c',
    'crc32c=1',
    'crc32c="AAAAAA=="',
    'crc32c=AAAAAA==',
    'crc32c=:AAAAAA==',
    'crc32c=:AAAA:',
    'crc32c=:AAAAAAAA:',
    'crc32c=:****:',
    'crc32c=(:AAAAAA==:)',
    'crc32c=:AAAAAA==:,',
    'sha-256=:AAAAAA==:',
    'sha-256=:AAAAAA==:, crc32c=:AAAAAA==:',
    'CRC32C=:AAAAAA==:',
    ',',
    '=',
  ])('cannot be expected with %j', (header) => {
    expect(readReprDigest(header)).toEqual({ problem: expect.stringContaining('Repr-Digest') });
  });
});
