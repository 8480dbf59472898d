import { Observable, type ReadableObservable } from '../../util/observable.js';
import { ENGLISH, readCatalog } from './catalog.js';
import { languageFor } from './language.js';
import { createTranslations, type Translations } from './translations.js';

export interface LoadedTranslations {
  readonly translations: ReadableObservable<Translations>;
  /** Settles when the texts have been read or cannot be read. Null when they are there already. Never rejects. */
  readonly reading: Promise<void> | null;
}

/**
 * The texts in the language of the app: English until the others have been read, and for good when they cannot be.
 * @param uiLocale  such as `de_DE`
 * @param readOwnFile  reads a text file of the package; gives null when that fails. It may never settle
 * @param onUnexpectedError  called when the file cannot be read as a catalog
 */
export function loadTranslations(
  uiLocale: string,
  readOwnFile: (path: string) => Promise<string | null>,
  onUnexpectedError: (error: unknown) => void,
): LoadedTranslations {
  const translations = new Observable(createTranslations(ENGLISH, 'en'));
  const language = languageFor(uiLocale);
  const read = async (): Promise<void> => {
    const text = await readOwnFile(`locales/${language}.json`);
    const catalog = text === null ? null : readCatalog(text);
    if (catalog) {
      translations.set(createTranslations(catalog, language));
    }
  };
  const reading = language === 'en' ? null : read().catch(onUnexpectedError);
  return { translations, reading };
}
