import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readCatalogue, type Catalogue } from '../../src/panel/strings/catalogue.js';
import type { Language } from '../../src/panel/strings/language.js';
import { createStrings, type Strings } from '../../src/panel/strings/strings.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'src', 'static', 'words');

/** The words of a language, from the file that ships. */
export function catalogueOf(language: Language): Catalogue {
  const found = readCatalogue(readFileSync(join(FOLDER, `${language}.json`), 'utf8'));
  if (!found) throw new Error(`${language}.json is no catalogue`);
  return found;
}

export function stringsIn(language: Language): Strings {
  return createStrings(catalogueOf(language));
}

export const en = stringsIn('en');
