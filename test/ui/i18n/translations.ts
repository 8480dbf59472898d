import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ENGLISH, readCatalog, type Catalog } from '../../../src/ui/i18n/catalog.js';
import type { Language } from '../../../src/ui/i18n/language.js';
import { createTranslations, type Translations } from '../../../src/ui/i18n/translations.js';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'src', 'static', 'locales');

/** The catalog of a language, as it ships. */
export function catalogOf(language: Language): Catalog {
  if (language === 'en') return ENGLISH;
  const found = readCatalog(readFileSync(join(FOLDER, `${language}.json`), 'utf8'));
  if (!found) throw new Error(`${language}.json is no catalog`);
  return found;
}

export function stringsIn(language: Language): Translations {
  return createTranslations(catalogOf(language), language);
}

export const en = stringsIn('en');
