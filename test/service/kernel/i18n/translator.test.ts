import { expect, it } from '@jest/globals';
import { Translator } from '../../../../service/kernel/i18n/translator.js';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [3_204_104, '3.2 MB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [999_999_999, '1 GB'],
  [107_374_182_400, '107 GB'],
])('%i bytes are %s', (count, text) => {
  expect(new Translator('en').bytes(count)).toBe(text);
});
