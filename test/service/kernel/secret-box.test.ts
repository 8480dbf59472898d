import { describe, expect, test } from '@jest/globals';
import { openSecret, sealSecret, secretKeys } from '../../../service/kernel/secret-box.js';

const PURPOSES = { totp: 'The secret of an app.', webhook: 'The secret of a webhook.' };
const { totp: key, webhook } = secretKeys('service key', PURPOSES);

describe('secret box', () => {
  test('returns the sealed text, which is not in the stored bytes', () => {
    const sealed = sealSecret(key, 'JBSWY3DPEHPK3PXP');
    expect(openSecret(key, new Uint8Array(sealed))).toBe('JBSWY3DPEHPK3PXP');
    expect(sealed.includes('JBSWY3DP')).toBe(false);
  });

  test('seals the same text differently each time', () => {
    expect(sealSecret(key, 'text')).not.toEqual(sealSecret(key, 'text'));
  });

  test.each([
    ['the key of another service', secretKeys('other key', PURPOSES).totp],
    ['the key of another purpose', webhook],
  ])('does not open with %s', (_name, other) => {
    expect(() => openSecret(other, sealSecret(key, 'text'))).toThrow('authenticate');
  });

  test.each([0, 12, 28])('does not open when byte %i was changed', (index) => {
    const sealed = sealSecret(key, 'text');
    sealed.writeUInt8(sealed.readUInt8(index) ^ 1, index);
    expect(() => openSecret(key, sealed)).toThrow('authenticate');
  });

  test('does not open bytes that are too short', () => {
    expect(() => openSecret(key, new Uint8Array(5))).toThrow('Invalid authentication tag');
  });
});
