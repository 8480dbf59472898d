import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../../service/pages/language.js';
import { de } from '../../../service/pages/words/de.js';
import { en } from '../../../service/pages/words/en.js';
import { es } from '../../../service/pages/words/es.js';
import { fr } from '../../../service/pages/words/fr.js';
import { ja } from '../../../service/pages/words/ja.js';
import { ptBR } from '../../../service/pages/words/pt-br.js';
import { LANGUAGES as PANEL_LANGUAGES } from '../../../src/panel/strings/language.js';

const SERVICE = path.join(import.meta.dirname, '../../../service');

/** Every language with what is written the same way in it as in English. */
const CATALOGUES: Readonly<Record<string, [Readonly<Record<string, string>>, readonly string[]]>> =
  {
    de: [de, ['app', 'code', 'name', 'shares', 'workspace', 'workspaceNamed']],
    es: [es, []],
    fr: [fr, ['code', 'dimensions', 'fileType', 'photos', 'pixels', 'versionCount', 'versions']],
    ja: [ja, []],
    'pt-BR': [ptBR, ['pixels']],
  };

/** What a text must have in every language: what is filled in, and where a link is. */
function marks(text: string): string[] {
  return (text.match(/\{\w+\}|[[\]]/g) ?? []).sort();
}

describe('the words of the pages', () => {
  it('speak the languages of the panel', () => {
    expect(Object.keys(LANGUAGES).sort()).toEqual([...PANEL_LANGUAGES].sort());
    expect(Object.keys(CATALOGUES).sort()).toEqual(
      PANEL_LANGUAGES.filter((language) => language !== 'en').sort(),
    );
  });

  it.each(Object.entries(CATALOGUES))(
    'are all there in %s, with the same blanks and links, and none in English',
    (_language, [words, same]) => {
      expect(Object.keys(words).sort()).toEqual(Object.keys(en).sort());
      for (const [key, english] of Object.entries(en)) {
        const text = words[key] ?? '';
        expect([key, marks(text)]).toEqual([key, marks(english)]);
        expect([key, text.trim()]).toEqual([key, text]);
        expect([key, text]).not.toEqual([key, '']);
      }
      const left = Object.entries(en).filter(([key, english]) => words[key] === english);
      expect(left.map(([key]) => key).sort()).toEqual([...same].sort());
    },
  );

  it.each([
    ['en', en] as const,
    ...Object.entries(CATALOGUES).map(([language, [words]]) => [language, words] as const),
  ])('are written as people write in %s', (language, words) => {
    for (const text of Object.values(words)) {
      expect(text).not.toMatch(/ {2}|\.\.\.|'/);
      // No line may break before these: French puts a space there that holds.
      if (language === 'fr') expect(text).not.toMatch(/ [:;?!»]|« /);
    }
  });

  it('keep quotation marks and stops on the line of their word, also in French', () => {
    for (const [language, [words]] of Object.entries(CATALOGUES))
      for (const [key, text] of Object.entries(words))
        expect([language, key, /« | [»:;?!]/.exec(text)?.[0]]).toEqual([language, key, undefined]);
  });

  it('are all used', async () => {
    const files = await readdir(SERVICE, { recursive: true });
    const sources = await Promise.all(
      files
        .filter((file) => file.endsWith('.ts') && !file.startsWith(path.join('pages', 'words')))
        .map((file) => readFile(path.join(SERVICE, file), 'utf8')),
    );
    const text = sources.join('\n');
    expect(Object.keys(en).filter((key) => !text.includes(`'${key}'`))).toEqual([]);
  });
});
