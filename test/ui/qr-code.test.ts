import { describe, expect, it } from '@jest/globals';
import { encode } from 'uqr';
import { fitsQrCode, qrModules } from '../../src/ui/qr-code.js';

/** What a library for all kinds of QR code makes of the same text with the same choices. */
function reference(text: string): boolean[][] {
  return encode(text, { ecc: 'L', border: 0, maskPattern: 0, boostEcc: false }).data;
}

describe('a QR code', () => {
  it('is the one a complete library makes, at every length up to the longest', () => {
    for (let length = 1; length <= 106; length += 1) {
      // Signs in both cases, so that the library takes bytes as well.
      const text = Array.from({ length }, (_, at) => 'aZ/?=-9'.charAt((at * 3 + length) % 7)).join(
        '',
      );
      expect([length, qrModules(`a${text.slice(1)}`)]).toEqual([
        length,
        reference(`a${text.slice(1)}`),
      ]);
    }
  });

  it('holds an address with its code', () => {
    const address = 'https://workspace.example.com/oauth/device?user_code=WDJB-MJHT';
    expect(qrModules(address)).toEqual(reference(address));
  });

  it('is not created for text that is too long or not ASCII', () => {
    for (const text of ['x'.repeat(107), 'https://example.com/ä', '']) {
      expect(fitsQrCode(text)).toBe(false);
      expect(() => qrModules(text)).toThrow(RangeError);
    }
  });
});
