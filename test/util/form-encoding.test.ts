import { describe, expect, it } from '@jest/globals';
import { encodeForm } from '../../src/util/form-encoding.js';
import { anyText } from '../support/arbitrary-text.js';
import fc from '../support/properties.js';

describe('encodeForm', () => {
  it('writes what URLSearchParams writes, for any names and values', () => {
    const text = fc.oneof(
      anyText(),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 })
        .map((units) => String.fromCharCode(...units)),
      fc.string({
        unit: fc.constantFrom(...Array.from(' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~\r\n\0')),
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 5, noNullPrototype: true }), (fields) => {
        expect(encodeForm(fields)).toBe(new URLSearchParams(Object.entries(fields)).toString());
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the order of the fields and separates them by &', () => {
    expect(encodeForm({ grant_type: 'a b', scope: '' })).toBe('grant_type=a+b&scope=');
  });

  it('gives an empty text for no fields', () => {
    expect(encodeForm({})).toBe('');
  });
});
