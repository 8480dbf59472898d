import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES as PAGE_LANGUAGES } from '../service/kernel/i18n/locale-negotiation.js';
import { PLACEHOLDERS as PAGE_PLACEHOLDERS } from '../service/kernel/i18n/placeholders.js';
import { PLACEHOLDERS as PANEL_PLACEHOLDERS } from '../src/panel/i18n/catalog.js';
import { LANGUAGES } from '../src/panel/i18n/language.js';

const ROOT = join(import.meta.dirname, '..');

type Entry = string | Readonly<Record<string, string>>;
type Catalog = Readonly<Record<string, Entry>>;

interface Product {
  readonly locales: string;
  readonly sources: string;
  readonly placeholders: Readonly<Record<string, readonly string[]>>;
  /** The entries that a language may write as English does. */
  readonly sameAsEnglish: Readonly<Record<string, readonly string[]>>;
}

const PRODUCTS: Readonly<Record<string, Product>> = {
  panel: {
    locales: 'src/static/locales',
    sources: 'src',
    placeholders: PANEL_PLACEHOLDERS,
    sameAsEnglish: {
      de: ['copyright', 'format', 'name', 'presetOriginal', 'presetWeb', 'video'],
      es: ['colorProfile', 'presetOriginal', 'presetWeb'],
      fr: ['contact', 'format', 'options', 'presetOriginal', 'presetWeb'],
      'pt-BR': ['presetOriginal', 'presetWeb'],
    },
  },
  service: {
    locales: 'service/locales',
    sources: 'service',
    placeholders: PAGE_PLACEHOLDERS,
    sameAsEnglish: {
      de: [
        'app',
        'browser',
        'code',
        'codeStandard',
        'copyright',
        'eventUser',
        'filter',
        'kindUpload',
        'logo',
        'name',
        'passkeys',
        'photoDetails',
        'requestedFrom',
        'shareDownloadCount',
        'shareDownloads',
        'shares',
        'versionOf',
        'webhooks',
        'workspace',
        'workspaceNamed',
      ],
      es: ['webhooks'],
      fr: [
        'code',
        'codeStandard',
        'dimensions',
        'eventKind',
        'fileType',
        'logo',
        'onePhoto',
        'photoCount',
        'photos',
        'pixels',
        'shareOfPhotos',
        'versionCount',
        'versionOf',
        'versions',
        'webhooks',
      ],
      'pt-BR': ['pixels', 'shareDownloadCount', 'shareDownloads', 'shares', 'webhooks'],
    },
  },
};

/** Languages that write one and many in the same form. */
const ONE_FORM = ['ja'];

const TABLE = Object.entries(PRODUCTS).flatMap(([name, product]) =>
  LANGUAGES.map((language) => [name, language, product] as const),
);

function read(folder: string, language: string): Catalog {
  return JSON.parse(readFileSync(join(ROOT, folder, `${language}.json`), 'utf8')) as Catalog;
}

/** All texts of a catalog; the forms of a plural as `key.one` and `key.other`. */
function textsOf(catalog: Catalog): [string, string][] {
  return Object.entries(catalog).flatMap(([key, entry]): [string, string][] =>
    typeof entry === 'string'
      ? [[key, entry]]
      : Object.entries(entry).map(([form, text]) => [`${key}.${form}`, text]),
  );
}

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
}

function sourcesIn(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n');
}

it('panel and service have the same languages', () => {
  expect(Object.keys(PAGE_LANGUAGES).sort()).toEqual([...LANGUAGES].sort());
  for (const { locales } of Object.values(PRODUCTS))
    expect(readdirSync(join(ROOT, locales)).sort()).toEqual(
      LANGUAGES.map((language) => `${language}.json`).sort(),
    );
});

describe.each(TABLE)('the catalog of the %s in %s', (_name, language, product) => {
  const { locales, placeholders, sameAsEnglish } = product;
  const english = read(locales, 'en');
  const catalog = read(locales, language);

  it('has the entries of the English catalog, in the same order', () => {
    expect(Object.keys(catalog)).toEqual(Object.keys(english));
    const forms = ONE_FORM.includes(language) ? ['other'] : ['one', 'other'];
    for (const [key, entry] of Object.entries(english))
      expect([key, formsOf(catalog[key])]).toEqual([key, typeof entry === 'string' ? null : forms]);
  });

  it('has the placeholders that the code fills, and no others', () => {
    for (const [place, text] of textsOf(catalog)) {
      const [key = '', form] = place.split('.');
      const found = placeholdersIn(text);
      // A plural may leave the number out: "Your photo is uploaded."
      const names = form === undefined ? found : found.filter((name) => name !== 'count');
      expect([place, names]).toEqual([place, [...(placeholders[key] ?? [])].sort()]);
      const other = (english[key] as Readonly<Record<string, string>>)['other'] ?? '';
      if (form === 'other')
        expect([place, text.includes('{count}')]).toEqual([place, other.includes('{count}')]);
    }
  });

  it('has a link where English has one', () => {
    const links = (of: Catalog) => textsOf(of).map(([key, text]) => [key, text.match(/[[\]]/g)]);
    const withLink = ([, marks]: readonly unknown[]): boolean => marks !== null;
    expect(links(catalog).filter(withLink)).toEqual(links(english).filter(withLink));
  });

  it('is translated', () => {
    if (language === 'en') return;
    const same = textsOf(catalog).filter(([key, text]) => text === english[key]);
    expect(same.map(([key]) => key).sort()).toEqual([...(sameAsEnglish[language] ?? [])].sort());
  });

  it('uses typographic characters', () => {
    for (const [place, text] of textsOf(catalog)) {
      expect([place, text.trim()]).toEqual([place, text]);
      expect([place, text]).not.toEqual([place, '']);
      // A line may not break between a word and its quotation mark or stop: French has spaces there that hold.
      expect([place, / {2}|\.\.\.|'|« | [»:;?!]/.exec(text)?.[0]]).toEqual([place, undefined]);
    }
  });
});

function formsOf(entry: Entry | undefined): string[] | null {
  return typeof entry === 'object' ? Object.keys(entry).sort() : null;
}

it.each(Object.entries(PRODUCTS))('every entry of the %s is used', (_, { locales, sources }) => {
  const text = sourcesIn(sources);
  const keys = Object.keys(read(locales, 'en'));
  expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
});
