import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import english from '../src/ui/i18n/en.js';
import { LANGUAGES } from '../src/ui/i18n/language.js';
import { SHELL_TEXTS } from '../src/panel/shell.js';

/** The texts of the first script, by language and key, from the catalogs. */
export function shellTexts(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const locales = join(import.meta.dirname, '..', 'src', 'static', 'locales');
  return Object.fromEntries(
    LANGUAGES.map((language) => {
      const catalog: Readonly<Record<string, unknown>> =
        language === 'en'
          ? english
          : (JSON.parse(readFileSync(join(locales, `${language}.json`), 'utf8')) as Record<
              string,
              unknown
            >);
      return [language, Object.fromEntries(SHELL_TEXTS.map((key) => [key, String(catalog[key])]))];
    }),
  );
}
