import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Key, Words } from '../../service/pages/sentence.js';
import { de } from '../../service/pages/words/de.js';
import { en } from '../../service/pages/words/en.js';
import { es } from '../../service/pages/words/es.js';
import { fr } from '../../service/pages/words/fr.js';
import { ja } from '../../service/pages/words/ja.js';
import { ptBR } from '../../service/pages/words/pt-br.js';
import { readCatalogue, type Catalogue } from '../../src/panel/strings/catalogue.js';
import { LANGUAGES, type Language } from '../../src/panel/strings/language.js';
import { PAGE_PLACES } from './page-places.js';
import { PANEL_PLACES } from './panel-places.js';
import { asRead, errorHeading, type Kind } from './places.js';

/** A text that people read, in all languages. */
export interface Entry {
  /** The code of an error; null for any other text. */
  readonly code: string | null;
  readonly kind: Kind;
  /** The heading of the support guide under which it is explained. */
  readonly heading: string;
  /** Its forms by language, in the order of {@link LANGUAGES}: most texts have one, texts that count have two. */
  readonly texts: readonly (readonly string[])[];
}

const PANEL_WORDS = join(import.meta.dirname, '..', '..', 'src', 'static', 'words');
const PAGES: Readonly<Record<Language, Words>> = { de, en, es, fr, ja, 'pt-BR': ptBR };

/** All texts of the panel, in the order of its catalogue. @throws {Error} when a file of words cannot be read */
export function panelEntries(): readonly Entry[] {
  const panel = LANGUAGES.map(panelCatalogue);
  const english = panelCatalogue('en');
  const entry = (key: keyof typeof PANEL_PLACES, forms: (of: Catalogue) => string[]): Entry => {
    const [kind, heading] = PANEL_PLACES[key];
    return { code: null, kind, heading, texts: panel.map((of) => forms(of).map(asRead)) };
  };
  return [
    ...keysOf(english.plain).map((key) => entry(key, ({ plain }) => [plain[key]])),
    ...keysOf(english.filled).map((key) => entry(key, ({ filled }) => [filled[key]])),
    ...keysOf(english.counted).map((key) =>
      entry(key, ({ counted }) => {
        const { one, other } = counted[key];
        return one === undefined ? [other] : [other, one];
      }),
    ),
    ...keysOf(english.errors).map((code): Entry => {
      const heading = errorHeading(code, english.errors[code]);
      const texts = panel.map(({ errors }) => [asRead(errors[code])]);
      return { code, kind: 'message', heading, texts };
    }),
  ];
}

/** All texts of the service's pages, in the order of their dictionary. */
export function pageEntries(): readonly Entry[] {
  return keysOf<Key>(en).map((key) => {
    const [kind, heading] = PAGE_PLACES[key];
    const texts = LANGUAGES.map((language) => [asRead(PAGES[language][key])]);
    return { code: null, kind, heading, texts };
  });
}

function panelCatalogue(language: Language): Catalogue {
  const found = readCatalogue(readFileSync(join(PANEL_WORDS, `${language}.json`), 'utf8'));
  if (!found) {
    throw new Error(`${language}.json is no catalogue`);
  }
  return found;
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[];
}
