/** `/states?state=…`: the panel in one state, without a plugin behind it. */
import { showColourScheme } from '../colour-scheme.js';
import { languageFor, type Language } from '../../../src/ui/i18n/language.js';
import { ENGLISH, readCatalog, type Catalog } from '../../../src/ui/i18n/catalog.js';
import { createTranslations, type Translations } from '../../../src/ui/i18n/translations.js';
import { readOptions } from '../options.js';
import type { Scene } from './scene.js';
import { SCENES } from './all-scenes.js';
import { playScene, press } from './stage.js';

declare global {
  interface Window {
    /** Shows the panel in another state, theme or language without loading a new page. Resolves when it is drawn. */
    showState?: (query: string) => Promise<void>;
  }
}

const read = new Map<Language, Translations>();
/** Ends the scene that is shown now. */
let end: () => void = () => undefined;

async function stringsIn(language: Language): Promise<Translations> {
  const known = read.get(language);
  if (known) {
    return known;
  }
  const catalog = language === 'en' ? ENGLISH : await catalogOf(language);
  const strings = createTranslations(catalog, language);
  read.set(language, strings);
  return strings;
}

async function catalogOf(language: Language): Promise<Catalog> {
  const file = await fetch(`/src/static/locales/${language}.json`);
  const catalog = readCatalog(await file.text());
  if (!catalog) {
    throw new Error('No catalog.');
  }
  return catalog;
}

async function show(query: string): Promise<void> {
  const { state, language, theme } = readOptions(query);
  if (state === null) {
    throw new Error('No such state.');
  }
  const strings = await stringsIn(languageFor(language));
  const scene: Scene = SCENES[state];
  document.documentElement.dataset['theme'] = theme;
  showColourScheme(theme);
  end();
  document.body.textContent = '';
  const root = document.createElement('div');
  document.body.appendChild(root);
  end = playScene(scene, strings, root);
  await press(
    root,
    (scene.press ?? []).map((entry) => labelOf(entry, strings, scene)),
  );
  document.documentElement.dataset['state'] = state;
}

/** The words on a control to be pressed. Some include a number. */
function labelOf(
  entry: NonNullable<Scene['press']>[number],
  strings: Translations,
  scene: Scene,
): string {
  if (entry === 'delivered') {
    const delivered = scene.situations(Date.now()).at(-1)?.delivered ?? [];
    return strings.count('earlierUploads', delivered.length);
  }
  if (entry === 'Instagram' || entry === 'PDF' || entry === 'Poster.psd') {
    return entry;
  }
  return typeof entry === 'string' ? strings[entry] : strings.count(entry.key, entry.count);
}

window.showState = show;
await show(location.search);
