/**
 * Compares the files with the words to the type of a catalogue, so that a missing or surplus word is a compile
 * error. Types only: nothing of this gets into the script.
 * @packageDocumentation
 */
import type de from '../../static/words/de.json';
import type en from '../../static/words/en.json';
import type es from '../../static/words/es.json';
import type fr from '../../static/words/fr.json';
import type ja from '../../static/words/ja.json';
import type ptBR from '../../static/words/pt-BR.json';
import type { Catalogue } from './catalogue.js';
import type { Language } from './language.js';

/** JSON files have no literal types: `one` is any string here, and a test checks its values. */
type Words = Omit<Catalogue, 'one'> & { readonly one: string };

type Surplus<Given, Wanted> = {
  [Part in keyof Given]: Part extends keyof Wanted
    ? Exclude<keyof Given[Part], keyof Wanted[Part]>
    : Part;
}[keyof Given];

type Complete<Given extends Words> =
  Surplus<Pick<Given, 'plain' | 'filled' | 'counted' | 'numbers' | 'errors'>, Words> extends never
    ? true
    : { readonly surplus: Surplus<Given, Words> };

type AllTrue<Checks extends Record<Language, true>> = Checks;

export type CheckedLanguages = AllTrue<{
  de: Complete<typeof de>;
  en: Complete<typeof en>;
  es: Complete<typeof es>;
  fr: Complete<typeof fr>;
  ja: Complete<typeof ja>;
  'pt-BR': Complete<typeof ptBR>;
}>;
