import { describe, expect, it } from '@jest/globals';
import { Translator } from '../../../service/kernel/i18n/translator.js';
import { ERROR_CODES } from '../../../src/util/errors.js';
import type { Catalog } from '../../../src/ui/i18n/catalog.js';
import { readCatalog } from '../../../src/ui/i18n/catalog.js';
import { LANGUAGES, languageFor } from '../../../src/ui/i18n/language.js';
import { catalogOf, en, stringsIn } from './translations.js';

/** The texts of a catalog in all forms. */
function textsOf(catalog: Catalog): string[] {
  return Object.values(catalog).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values<string>({ ...entry }),
  );
}

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const catalog = catalogOf(language);
  const strings = stringsIn(language);

  it('say for every error what happened and what to do, in whole sentences without the code', () => {
    const codes = Object.keys(catalog).filter((key) => key.startsWith('CW-'));
    expect(codes.sort()).toEqual([...ERROR_CODES].sort());
    const texts = ERROR_CODES.map((code) => catalog[code]);
    for (const text of texts) {
      expect(text).toMatch(/[.。]$/);
      expect(text).not.toContain('CW-');
    }
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('have a word for each letter', () => {
    const words = catalog.alphabet.split(' ');
    expect(words).toHaveLength(26);
    expect(new Set(words).size).toBe(26);
    if (language !== 'ja')
      expect(words.map((word) => word.charAt(0)).join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const spelled = strings.spell('AZ-9');
    expect(spelled).toHaveLength(4);
    expect(spelled[0]).toContain(words[0]);
    expect(spelled[1]).toContain(words[25]);
    expect(spelled[3]).toContain('9');
  });

  it('name the buttons of the panel and the page in their instructions', () => {
    // In the languages that set the names of buttons in quotation marks.
    const quoted = textsOf(catalog).flatMap((text) =>
      [...text.matchAll(/[„«“「]\s*([^“»”」]+?)\s*[“»”」]/g)].map(([, name]) => name ?? ''),
    );
    const names = new Set([
      ...textsOf(catalog),
      new Translator(language).t('allow'),
      new Translator(language).t('deny'),
      new Translator(language).t('connectedApps'),
    ]);
    // A placeholder is the name of something that users named.
    const isFilledIn = (name: string): boolean => /^\{\w+\}$/.test(name);
    expect(quoted.filter((name) => !isFilledIn(name) && !names.has(name))).toEqual([]);
    expect(language === 'en' ? ['none'] : quoted).not.toEqual([]);
  });
});

describe('numbers, sizes and times', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [12_345_678, '12.3 MB'],
    [999_949_999, '999.9 MB'],
    [999_950_000, '1.0 GB'],
    [5_000_000_000, '5.0 GB'],
    [5_000_000_000_000, '5,000.0 GB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(en.size(bytes).replace('\u00a0', ' ')).toBe(text);
  });

  it.each([
    ['en', '1,234', '12,345', '3.5\u00a0MB', '42%', 'Jun 1, 2026'],
    ['de', '1.234', '12.345', '3,5\u00a0MB', '42\u00a0%', '01.06.2026'],
    ['es', '1234', '12.345', '3,5\u00a0MB', '42\u00a0%', '01/06/2026'],
    ['fr', '1\u202f234', '12\u202f345', '3,5\u00a0Mo', '42\u00a0%', '01/06/2026'],
    ['ja', '1,234', '12,345', '3.5\u00a0MB', '42%', '2026/06/01'],
    ['pt-BR', '1.234', '12.345', '3,5\u00a0MB', '42%', '01/06/2026'],
  ] as const)('are written as in %s', (language, small, large, size, percent, date) => {
    const strings = stringsIn(language);
    expect(strings.number(1234)).toBe(small);
    expect(strings.number(12_345)).toBe(large);
    expect(strings.size(3_500_000)).toBe(size);
    expect(strings.percent(42)).toBe(percent);
    expect(strings.date(new Date(2026, 5, 1, 23).getTime())).toBe(date);
  });

  it.each([
    ['en', '0 files', '1 file ', '2 files'],
    ['de', '0 Dateien', '1 Datei ', '2 Dateien'],
    ['es', '0 archivos', '1 archivo ', '2 archivos'],
    ['fr', '0 fichier ', '1 fichier ', '2 fichiers'],
    ['ja', '0件', '1件', '2件'],
    ['pt-BR', '0 arquivo ', '1 arquivo ', '2 arquivos'],
  ] as const)('minds one and many in %s', (language, none, one, two) => {
    const strings = stringsIn(language);
    [none, one, two].forEach((start, count) => {
      expect(strings.count('allUploaded', count).startsWith(start)).toBe(true);
    });
  });

  it('counts minutes and seconds to the last', () => {
    expect(en.codeTimeLeft(-5)).toBe(en.codeAlmostOver);
    expect(en.codeTimeLeft(60_000)).toBe(en.codeAlmostOver);
    expect(en.codeTimeLeft(60_001)).toBe('The code expires in 2 minutes.');
    expect(en.tryingAgainIn(-1)).toBe('Trying again now.');
    expect(en.tryingAgainIn(1_001)).toBe('Trying again in 2 seconds.');
    expect(en.tryingAgainIn(90_000)).toBe('Trying again in 90 seconds.');
    expect(en.tryingAgainIn(90_001)).toBe('Trying again in 2 minutes.');
    expect(en.timeLeft(4_999)).toBe('a few seconds');
    expect(en.timeLeft(5_001)).toBe('about 10 s');
    expect(en.timeLeft(60_000)).toBe('about 1 min');
    expect(en.timeLeft(3_600_000)).toBe('about 1 h');
    expect(en.timeLeft(3_600_001)).toBe('about 2 h');
  });

  it('does not look for places to fill in what it has filled in', () => {
    expect(en.fill('createProject', { name: '{name}' })).toBe('Create “{name}”');
  });
});

describe('the language', () => {
  it.each([
    ['de_DE', 'de'],
    ['de', 'de'],
    ['fr_CA', 'fr'],
    ['es-419', 'es'],
    ['ja_JP', 'ja'],
    ['pt_BR', 'pt-BR'],
    ['pt_PT', 'pt-BR'],
    ['en_GB', 'en'],
    ['it_IT', 'en'],
    ['deu_DE', 'en'],
    ['', 'en'],
  ])('for the locale %s is %s', (locale, language) => {
    expect(languageFor(locale)).toBe(language);
  });

  it('is not read from anything that is no catalog', () => {
    const incomplete = { ...catalogOf('en'), connect: undefined };
    const wrong = { ...catalogOf('en'), allUploaded: 'All' };
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      JSON.stringify(incomplete),
      JSON.stringify(wrong),
    ])
      expect(readCatalog(text)).toBeNull();
  });
});
