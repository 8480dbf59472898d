import { describe, expect, it } from '@jest/globals';
import Reference, { resolveUrl } from '../../src/util/resolve-url.js';
import fc from '../support/properties.js';

const BASE = 'https://service.example:8443/api/v1/uploads';

describe('a reference', () => {
  it.each([
    'https://other.example/x',
    'HTTP://other.example/x',
    '//other.example/x?y#z',
    '/files/abc',
    '/files/../abc/./d/',
    'uploads/abc',
    './abc',
    '../v2/abc?d=e',
    '../../../../abc',
    '..',
    '.',
    '?token=1',
    '#part',
    '',
  ])('resolves %p as the URL Standard does', (reference) => {
    const expected = new URL(reference, BASE).href;
    // The Standard writes scheme and host in small letters; here the user of the result does.
    expect(resolveUrl(reference, BASE).replace(/^HTTP:/, 'http:')).toBe(expected);
    expect(new Reference(reference, BASE).toString()).toBe(resolveUrl(reference, BASE));
  });

  it('leads there also when it is made of any of the signs that matter', () => {
    const part = fc.constantFrom('a', '/', '.', '..', '?', '#', 'b');
    const reference = fc
      .array(part, { maxLength: 9 })
      .map((parts) => parts.join(''))
      // An empty host is an error there, and an address that is refused here.
      .filter((text) => !text.startsWith('//'));
    fc.assert(
      fc.property(reference, (text) => {
        expect(resolveUrl(text, BASE)).toBe(new URL(text, BASE).href);
      }),
    );
  });
});
