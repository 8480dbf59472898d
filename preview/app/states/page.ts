/** `/states?state=…`: the panel in one state, without a plugin behind it. */
import { showColourScheme } from '../colour-scheme.js';
import { languageFor, type Language } from '../../../src/panel/strings/language.js';
import { readCatalogue } from '../../../src/panel/strings/catalogue.js';
import { createStrings, type Strings } from '../../../src/panel/strings/strings.js';
import { readOptions } from '../options.js';
import type { Scene } from './scene.js';
import { SCENES } from './scenes.js';
import { playScene, press } from './stage.js';

declare global {
  interface Window {
    /** Shows the panel in another state, theme or language without loading a new page. Resolves when it is drawn. */
    showState?: (query: string) => Promise<void>;
  }
}

const read = new Map<Language, Strings>();
/** Ends the scene that is shown now. */
let end: () => void = () => undefined;

async function stringsIn(language: Language): Promise<Strings> {
  const known = read.get(language);
  if (known) {
    return known;
  }
  const words = await fetch(`/src/static/words/${language}.json`);
  const catalogue = readCatalogue(await words.text());
  if (!catalogue) {
    throw new Error('No words.');
  }
  const strings = createStrings(catalogue);
  read.set(language, strings);
  return strings;
}

async function show(query: string): Promise<void> {
  const { state, language, theme } = readOptions(query);
  if (state === null) {
    throw new Error('No such state.');
  }
  const spoken = languageFor(language);
  const strings = await stringsIn(spoken);
  const scene: Scene = SCENES[state];
  document.documentElement.dataset['theme'] = theme;
  showColourScheme(theme);
  end();
  document.body.textContent = '';
  const root = document.createElement('div');
  document.body.appendChild(root);
  end = playScene(scene, spoken, strings, root);
  await press(
    root,
    (scene.press ?? []).map((key) =>
      key === 'delivered' ? deliveredLabel(strings, scene) : strings[key],
    ),
  );
  document.documentElement.dataset['state'] = state;
}

/** The label of the button that unfolds the delivered photos. It includes their number. */
function deliveredLabel(strings: Strings, scene: Scene): string {
  const delivered = scene.situations(Date.now()).at(-1)?.delivered ?? [];
  return strings.fill('delivered', { count: strings.number(delivered.length) });
}

window.showState = show;
await show(location.search);
