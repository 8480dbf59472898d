import { describe, expect, it } from '@jest/globals';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../src/util/json.js';
import fc from '../support/properties.js';

describe('parseJsonObject', () => {
  it('gives any JSON object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        expect(parseJsonObject(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '',
    ' ',
    '<html>',
    '[]',
    '"text"',
    '1',
    'null',
    'true',
    '{',
    '{"a":1}x',
    '\ufeff',
    'x\ufeff{}',
    '\ufeff\ufeff{}',
  ])('gives null for %j', (text) => {
    expect(parseJsonObject(text)).toBeNull();
  });
});

it('ignores a byte order mark before JSON', () => {
  expect(parseJsonObject('\ufeff{"a":1}')).toEqual({ a: 1 });
});

describe('isJsonObject', () => {
  it('takes objects only', () => {
    expect([{}, { a: 1 }].map(isJsonObject)).toEqual([true, true]);
    expect([null, undefined, [], 'a', 1, true].map(isJsonObject)).toEqual(Array(6).fill(false));
  });
});

describe('textField', () => {
  it('gives a text that is not empty, else null', () => {
    const object = { a: 'x', b: '', c: 1, d: null, e: ['x'], f: { x: 'x' } };
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => textField(object, name))).toEqual([
      'x',
      ...Array<null>(6).fill(null),
    ]);
  });
});

describe('numberField', () => {
  it.each<[unknown, number | null]>([
    [0, 0],
    [-1.5, -1.5],
    ['900', 900],
    ['5.5', 5.5],
    [Number.NaN, null],
    [Infinity, null],
    ['', null],
    [' 5', null],
    ['-5', null],
    ['+5', null],
    ['5e3', null],
    ['0x10', null],
    ['5.', null],
    ['1234567890123456', null],
    [true, null],
    [null, null],
    [[5], null],
    [undefined, null],
  ])('reads %j as %j', (value, number) => {
    expect(numberField({ n: value }, 'n')).toBe(number);
  });
});
