import { describe, expect, it } from '@jest/globals';
import { decodeUtf8, encodeUtf8 } from '../../packages/utf8/index.js';
import { anyText } from '../support/arbitrary-text.js';
import fc from '../support/properties.js';

/** Any string of UTF-16 units, lone surrogates included, with the borders of the encoding often. */
const anyUnits = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom(0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000),
    fc.constantFrom(0xfeff, 0xfffd, 0xfffe, 0xffff),
  ),
  { maxLength: 40 },
);
const anyString = anyUnits.map((units) => String.fromCharCode(...units));

describe('encodeUtf8', () => {
  it('writes the bytes TextEncoder writes, for any text', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        expect([...encodeUtf8(text)]).toEqual([...new TextEncoder().encode(text)]);
      }),
    );
  });

  it('replaces a lone surrogate by U+FFFD', () => {
    expect([...encodeUtf8('a\ud800b')]).toEqual([0x61, 0xef, 0xbf, 0xbd, 0x62]);
    expect([...encodeUtf8('\udc00')]).toEqual([0xef, 0xbf, 0xbd]);
  });
});

describe('decodeUtf8', () => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
      }),
    );
  });

  /** What a strict TextDecoder makes of the bytes; null where it throws. */
  function reference(bytes: Uint8Array): string | null {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return null;
    }
  }

  it('agrees with a strict TextDecoder on any bytes', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf),
      fc.constantFrom(0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.array(byte, { maxLength: 8 }), (a, b) => {
        for (const bytes of [a, Uint8Array.from(b)])
          expect(decodeUtf8(bytes)).toBe(reference(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with a strict TextDecoder on every sequence of two bytes after every lead byte', () => {
    const wrong: string[] = [];
    for (let first = 0x80; first < 0x100; first += 1)
      for (let second = 0; second < 0x100; second += 1)
        for (const bytes of [
          Uint8Array.of(first, second),
          Uint8Array.of(first, second, 0x80),
          Uint8Array.of(first, second, 0xbf, 0x80),
        ])
          if (decodeUtf8(bytes) !== reference(bytes)) wrong.push(String(bytes));
    expect(wrong).toEqual([]);
  });

  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong NUL', [0xe0, 0x80, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['a continuation without a lead', [0x80]],
  ])('refuses %s', (_name, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeNull();
  });
});
