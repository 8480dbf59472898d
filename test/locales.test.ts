import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES as PAGE_LANGUAGES } from '../service/kernel/i18n/locale-negotiation.js';
import { message } from '../service/kernel/i18n/message.js';
import { Translator } from '../service/kernel/i18n/translator.js';
import pageTexts from '../service/locales/en.js';
import panelTexts from '../src/ui/i18n/en.js';
import { LANGUAGES } from '../src/ui/i18n/language.js';
import { en } from './ui/i18n/translations.js';

const ROOT = join(import.meta.dirname, '..');

type Entry = string | Readonly<Record<string, string>>;
type Catalog = Readonly<Record<string, Entry>>;

interface Product {
  readonly english: Catalog;
  /** The folder of the other languages. */
  readonly locales: string;
  readonly sources: string;
  /** The entries that a language may write as English does. */
  readonly sameAsEnglish: Readonly<Record<string, readonly string[]>>;
}

const PRODUCTS: Readonly<Record<string, Product>> = {
  panel: {
    english: panelTexts,
    locales: 'src/static/locales',
    sources: 'src',
    sameAsEnglish: {
      de: [
        'copyright',
        'details',
        'fileVersion',
        'format',
        'kindVideo',
        'name',
        'presetOriginal',
        'presetWeb',
        'selectsLink',
        'video',
      ],
      es: ['colorProfile', 'presetOriginal', 'presetWeb'],
      fr: [
        'contact',
        'fileType',
        'fileVersion',
        'format',
        'kindDocument',
        'options',
        'pageNumber',
        'pages',
        'presetOriginal',
        'presetWeb',
      ],
      'pt-BR': ['presetOriginal', 'presetWeb', 'selectsLink'],
    },
  },
  service: {
    english: pageTexts,
    locales: 'service/locales',
    sources: 'service',
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
        'video',
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
        'onePage',
        'pageCount',
        'pageNumber',
        'pages',
        'pixels',
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

function read({ english, locales }: Product, language: string): Catalog {
  if (language === 'en') return english;
  return JSON.parse(readFileSync(join(ROOT, locales, `${language}.json`), 'utf8')) as Catalog;
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
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && entry.name !== 'en.ts')
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n');
}

it('panel and service have the same languages', () => {
  expect(Object.keys(PAGE_LANGUAGES).sort()).toEqual([...LANGUAGES].sort());
  for (const { locales } of Object.values(PRODUCTS))
    expect(readdirSync(join(ROOT, locales)).filter((name) => name.endsWith('.json'))).toEqual(
      LANGUAGES.filter((language) => language !== 'en').map((language) => `${language}.json`),
    );
});

/**
 * What is delivered is a file: a picture, a document or a film. These texts are about pictures or cameras.
 * The app's dialog behind "Add photos" offers pictures only.
 */
const ABOUT_PICTURES: Readonly<Record<string, readonly string[]>> = {
  panel: ['addPhotos', 'approvedText', 'noPhotos', 'photoNoPicture', 'CW-609', 'CW-804'],
  service: ['camera', 'zipNoteText'],
};

it.each(TABLE)(
  'the texts of the %s in %s call what is delivered a file',
  (name, language, product) => {
    const texts = textsOf(read(product, language)).filter(
      ([key]) => !ABOUT_PICTURES[name]?.includes(key),
    );
    expect(texts.filter(([, text]) => /\b(photos?|fotos?)\b|写真|枚/i.test(text))).toEqual([]);
  },
);

describe.each(TABLE)('the catalog of the %s in %s', (_name, language, product) => {
  const { english, sameAsEnglish } = product;
  const catalog = read(product, language);

  it('has the entries of the English catalog, in the same order', () => {
    expect(Object.keys(catalog)).toEqual(Object.keys(english));
    const forms = ONE_FORM.includes(language) ? ['other'] : ['one', 'other'];
    for (const [key, entry] of Object.entries(english))
      expect([key, formsOf(catalog[key])]).toEqual([key, typeof entry === 'string' ? null : forms]);
  });

  it('has the placeholders of the English text', () => {
    for (const [place, text] of textsOf(catalog)) {
      const [key = '', form] = place.split('.');
      const entry = english[key] ?? '';
      // A singular may leave the number out: "Your photo is uploaded."
      const names = (of: string): string[] =>
        placeholdersIn(of).filter((name) => form !== 'one' || name !== 'count');
      const expected = names(typeof entry === 'string' ? entry : (entry['other'] ?? ''));
      expect([place, names(text)]).toEqual([place, expected]);
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

it.each(Object.entries(PRODUCTS))('every entry of the %s is used', (_, { english, sources }) => {
  const text = sourcesIn(sources);
  const keys = Object.keys(english);
  expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(text))).toEqual([]);
});

it('the English text is the type of the values', () => {
  const page = new Translator('en');
  expect(page.t('since', { time: 'May' })).toBe('Since May');
  expect(en.fill('createProject', { name: 'May' })).toBe('Create “May”');
  expect(en.count('allUploadedTo', 2, { project: 'May' })).toContain('May');
  const refused = [
    // @ts-expect-error -- no value
    () => page.t('since'),
    // @ts-expect-error -- another name
    () => page.t('since', { day: 'May' }),
    // @ts-expect-error -- a value without placeholder
    () => page.t('since', { time: 'May', day: '1' }),
    // @ts-expect-error -- one of two values
    () => message('eventAppConnectedOn', { by: 'Ada', app: 'Photoshop' }),
    // @ts-expect-error -- values for a text without placeholder
    () => message('changeLanguage', { time: 'May' }),
    // @ts-expect-error -- a text with placeholder
    () => page.withLink('since', '/'),
    // @ts-expect-error -- another name
    () => en.fill('createProject', { project: 'May' }),
    // @ts-expect-error -- a plural without its value
    () => en.count('allUploadedTo', 2),
    // @ts-expect-error -- a plural that has the number only
    () => en.count('allUploaded', 2, { project: 'May' }),
  ];
  // The compiler is the test of these: none is called.
  expect(refused).not.toContain(undefined);
});
