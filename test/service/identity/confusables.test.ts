import { describe, expect, it } from '@jest/globals';
import { confusableSkeleton } from '../../../service/identity/accounts/confusables.js';
import { validateName } from '../../../service/identity/accounts/names.js';
import { formatEnglish } from '../../../service/kernel/i18n/translator.js';

describe('a display name', () => {
  it.each([
    'Print shop',
    'Łódź Fotografia',
    '写真　スタジオ',
    'Ảnh đẹp',
    'שָׁלוֹם',
    'R&D (2)',
    'Studio ❤️',
    'Studio 👩🏽‍🎨 and 🏳️‍🌈',
    // As many marks upon one letter, and as many letters, as there may be.
    `Pri${'\u0301'.repeat(4)}nt`,
    'x'.repeat(80),
    '7',
    '№!',
  ])('may be %s', (name) => {
    expect(validateName(name, 80)).toBeUndefined();
  });

  it.each([
    ['nothing', '', 'empty'],
    ['only spaces', ' \u3000 ', 'empty'],
    ['only invisible characters', '\u200B\u200D', 'empty'],
    ['more than fits', 'x'.repeat(81), 'at most 80'],
    ['a line break', 'Print\nshop', 'control characters'],
    ['an escape sequence', 'Print \u001B[31mshop', 'control characters'],
    ['NUL', 'Print\0shop', 'control characters'],
    ['an override of the direction', 'Print \u202Epohs', 'direction'],
    ['an isolate', '\u2066Print shop', 'direction'],
    ['a zero-width space', 'Print\u200Bshop', 'invisible'],
    ['a soft hyphen', 'Print\u00ADshop', 'invisible'],
    ['a filler of Hangul', 'Print\u3164shop', 'invisible'],
    ['a joiner between letters', 'Print\u200Dshop', 'invisible'],
    ['a joiner at the end of a picture', 'Print 👩\u200D', 'invisible'],
    ['a joiner between a picture and a letter', 'Print 👩\u200Dshop', 'invisible'],
    ['a tag character', 'Print\u{E0041}shop', 'invisible'],
    ['a line separator', 'Print\u2028shop', 'line breaks'],
    ['half a character', 'Print\uD83Dshop', 'not text'],
    ['a character for private use', 'Print\uE000shop', 'not text'],
    ['a tower of accents', `Pri${'\u0301'.repeat(9)}nt`, 'accents'],
    ['one accent too many', `Pri${'\u0301'.repeat(5)}nt`, 'accents'],
    ['a Braille blank', 'Print\u2800shop', 'invisible'],
    ['a paragraph separator', 'Print\u2029shop', 'line breaks'],
    ['a character that is in no standard', 'Print\u0378shop', 'not text'],
    ['a character that only formats', 'Print\u0600shop', 'not text'],
  ])('must not be %s', (_what, name, problem) => {
    const found = validateName(name, 80);
    expect(found && formatEnglish(found)).toContain(problem);
  });
});

describe('the skeleton of a name', () => {
  const official = confusableSkeleton('Creative Workspace plugin');

  it.each([
    'creative workspace PLUGIN',
    'Creative-Workspace: Plugin!',
    'CreativeWorkspacePlugin',
    'Сreаtive Wоrkspаce рlugin',
    'Ϲreative Workspace ρlugin',
    'Creative Workspace pIug1n',
    'Creative Workspace p|ugin',
    'Ｃｒｅａｔｉｖｅ Workspace plugin',
    '𝐂𝐫𝐞𝐚𝐭𝐢𝐯𝐞 Workspace plugin',
    'Créàtive Workspàce plügin',
    'Creative VVorkspace plugin',
    'Creative Wor\u200Bkspace plugin',
    'Creative W0rkspace plug\u0131n',
    'Ⅽreative Workspace plugin',
  ])('is equal for %s', (name) => {
    expect(confusableSkeleton(name)).toBe(official);
  });

  it.each(['Print shop', 'Creative Workshop plugin', 'Creative Workspace', ''])(
    'differs for %s',
    (name) => {
      expect(confusableSkeleton(name)).not.toBe(official);
    },
  );

  // One of the signs that look like each letter.
  it.each([
    ['\u0251rchive', 'archive'],
    ['\u042cook', 'book'],
    ['\u0421amera', 'camera'],
    ['\u0501ark', 'dark'],
    ['\u0454vent', 'event'],
    ['\u0192ilm', 'film'],
    ['\u0261allery', 'gallery'],
    ['\u04bbouse', 'house'],
    ['\u0456mage', 'image'],
    ['\u03f3une', 'june'],
    ['\u03baodak', 'kodak'],
    ['\u04c0ens', 'lens'],
    ['\u1d0daker', 'maker'],
    ['\u0578ight', 'night'],
    ['\u03c3pen', 'open'],
    ['\u0440hoto', 'photo'],
    ['\u051buay', 'quay'],
    ['\u0433ome', 'rome'],
    ['\u0455tudio', 'studio'],
    ['\u0442own', 'town'],
    ['\u03c5nit', 'unit'],
    ['\u0475iew', 'view'],
    ['\u051dood', 'wood'],
    ['\u0445erox', 'xerox'],
    ['\u0443ear', 'year'],
    ['\u1d22oo', 'zoo'],
  ])('of %s is that of %s', (name, other) => {
    expect(confusableSkeleton(name)).toBe(confusableSkeleton(other));
  });

  it.each([
    ['rnaker', 'maker'],
    ['vvood', 'wood'],
    ['ﬁlm', 'film'],
    ['CORNER', 'comer'],
  ])('of %s is that of %s', (name, other) => {
    expect(confusableSkeleton(name)).toBe(confusableSkeleton(other));
  });
});
