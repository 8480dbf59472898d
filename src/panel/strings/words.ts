import { Store, type ReadableStore } from '../../base/store.js';
import english from '../../static/words/en.json' with { type: 'json' };
import { readCatalogue, type Catalogue } from './catalogue.js';
import { languageFor, type Language } from './language.js';
import { createStrings, type Strings } from './strings.js';

/** All words of the panel, and the language they are in. */
export interface Words {
  readonly strings: Strings;
  readonly language: Language;
}

/** In the script itself, so that the panel has words even where the host reads no file. */
const ENGLISH: Words = { strings: createStrings(english as Catalogue), language: 'en' };

/**
 * The words in the language of the app: English until the others have been read, and for good when they cannot be.
 * @param uiLocale  such as `de_DE`
 * @param readOwnFile  reads a text file of the package; gives null when that fails. It may never settle
 * @param onFault  told when what was read is no catalogue
 */
export function wordsFor(
  uiLocale: string,
  readOwnFile: (path: string) => Promise<string | null>,
  onFault: (fault: unknown) => void,
): ReadableStore<Words> {
  const words = new Store(ENGLISH);
  const language = languageFor(uiLocale);
  const read = async (): Promise<void> => {
    const text = await readOwnFile(`words/${language}.json`);
    const catalogue = text === null ? null : readCatalogue(text);
    if (catalogue) {
      words.set({ strings: createStrings(catalogue), language });
    }
  };
  if (language !== ENGLISH.language) {
    void read().catch(onFault);
  }
  return words;
}
