import { describe, expect, it } from '@jest/globals';
import { randomFraction, randomId } from '../../src/util/random-id.js';
import fc from '../support/properties.js';
import { seededBytes } from '../support/seeded-random.js';

describe('randomId', () => {
  it('writes 16 bytes as 32 hexadecimal digits', () => {
    const asked: number[] = [];
    const id = randomId((count) => {
      asked.push(count);
      return Uint8Array.from({ length: count }, (_, index) => index * 17);
    });
    expect(asked).toEqual([16]);
    expect(id).toBe('00112233445566778899aabbccddeeff');
  });

  it('keeps small bytes at two digits and differs with any byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.nat(15), (bytes, place) => {
        const id = randomId(() => bytes);
        expect(id).toBe(Buffer.from(bytes).toString('hex'));
        const other = bytes.slice();
        other[place] = ((other[place] ?? 0) + 1) % 256;
        expect(randomId(() => other)).not.toBe(id);
      }),
    );
  });
});

describe('randomFraction', () => {
  it('reaches from 0 to just under 1', () => {
    expect(randomFraction(() => Uint8Array.of(0, 0))).toBe(0);
    expect(randomFraction(() => Uint8Array.of(128, 0))).toBe(0.5);
    const most = randomFraction(() => Uint8Array.of(255, 255));
    expect(most).toBeGreaterThan(0.9999);
    expect(most).toBeLessThan(1);
  });

  it('is spread evenly', () => {
    const bytes = seededBytes(7);
    const counts = Array<number>(4).fill(0);
    for (let round = 0; round < 4000; round += 1) {
      const quarter = Math.floor(randomFraction(bytes) * 4);
      counts[quarter] = (counts[quarter] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
