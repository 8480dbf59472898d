import { describe, expect, it } from '@jest/globals';
import {
  MAX_NAME_BYTES,
  nameInZip,
  ZipNames,
} from '../../../../service/library/photos/files/zip-names.js';

/** The names that files with these names get in one ZIP. */
function namesInZip(names: readonly string[]): string[] {
  const taken = new ZipNames();
  return names.map((name) => nameInZip(name, taken.numberOf(name)));
}

describe('the names in a ZIP', () => {
  it.each([
    ['lead to no other folder', ['a/b\\c:d.jpg'], ['a_b_c_d.jpg']],
    ['do not begin with dots', ['..', '.', '...jpg'], ['_', '_ (2)', '_jpg']],
    [
      'differ in more than their case',
      ['x.jpg', 'X.JPG', 'x (2).jpg', 'straße', 'STRASSE'],
      ['x.jpg', 'X (2).JPG', 'x (2) (2).jpg', 'straße', 'STRASSE (2)'],
    ],
    [
      'differ in more than the form of a letter (NFC and NFD)',
      ['Ku\u0308ste.jpg', 'K\u00fcste.jpg', '\u1100\u1161', '\uac00', '\u212b.jpg', '\u00c5.jpg'],
      [
        'K\u00fcste.jpg',
        'K\u00fcste (2).jpg',
        '\uac00',
        '\uac00 (2)',
        '\u00c5.jpg',
        '\u00c5 (2).jpg',
      ],
    ],
    ['differ in more than what is invisible', ['a\u200db', 'ab'], ['a\u200db', 'ab (2)']],
    ['end with no dot or space', ['end. ', 'a\u0000b', '   '], ['end_', 'a_b', '_']],
    ['are numbered without an ending, too', ['none', 'none'], ['none', 'none (2)']],
    [
      'are no devices of Windows',
      ['NUL.jpg', 'con', 'Com1.a.tif', 'aux .psd', 'console.jpg', 'prn1', 'LPT\u00b9.jpg'],
      ['_NUL.jpg', '_con', '_Com1.a.tif', '_aux .psd', 'console.jpg', 'prn1', '_LPT\u00b9.jpg'],
    ],
    [
      'are no consoles of Windows',
      ['CONIN$', 'conout$.jpg', 'CONIN$ .psd', 'conin.jpg'],
      ['_CONIN$', '_conout$.jpg', '_CONIN$ .psd', 'conin.jpg'],
    ],
  ])('%s', (_rule, names, expected) => {
    expect(namesInZip(names)).toEqual(expected);
  });

  it.each([
    ['of one-byte letters', 'a'],
    ['of three-byte letters', '\u753b'],
    ['of four-byte letters', '\u{1f4f7}'],
    ['of letters that Unicode composes', 'u\u0308'],
  ])('have at most 255 bytes, an ending, and whole characters: %s', (_what, letter) => {
    const long = letter.repeat(Math.floor(251 / letter.length));
    const names = namesInZip([
      ...[`${long}.jpg`, `${long}.jpg`, `${long}x.jpg`, long, long],
      `${'b'.repeat(20)}.${long}`,
    ]);
    for (const name of names) {
      expect([name, Buffer.byteLength(name) <= MAX_NAME_BYTES]).toEqual([name, true]);
      expect(name).not.toContain('\ufffd');
    }
    expect(new Set(names).size).toBe(names.length);
    expect(names[1]).toMatch(/ \(2\)\.jpg$/u);
  });

  it('do not end with a space after truncation', () => {
    const [name] = namesInZip([`${'a'.repeat(254)} bc`]);
    expect(name).toBe(`${'a'.repeat(254)}_`);
  });

  const many = (nameOf: (index: number) => string): string[] =>
    Array.from({ length: 10_000 }, (_, index) => nameOf(index));
  const long = 'x'.repeat(240);

  it.each([
    ['that are all alike', many(() => 'image.jpg')],
    ['with spaces in the middle', many(() => `${' '.repeat(254)}x`)],
    ['with dots in the middle', many(() => `a${'.'.repeat(253)}b`)],
    ['that are numbered already', many((n) => (n < 5000 ? `a (${n}).jpg` : 'a.jpg'))],
    ['that differ only where they are cut', many((n) => `${long}${n % 5000}.jpg`)],
    ['that are long and differ at the end', many((n) => `${'\u753b'.repeat(250)}${n % 5000}`)],
  ])('are computed quickly for ten thousand files %s', (_what, names) => {
    const began = process.cpuUsage();
    const chosen = namesInZip(names);
    // A tenth of this is usual; a quadratic way takes ten times as long and more. In microseconds of the processor.
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
    expect(new Set(chosen).size).toBe(names.length);
  });
});
