/** `/states?state=…`: the panel in one state, without a plugin behind it. */
import { languageFor } from '../../../src/panel/strings/language.js';
import { readCatalogue } from '../../../src/panel/strings/catalogue.js';
import { createStrings } from '../../../src/panel/strings/strings.js';
import { readOptions } from '../options.js';
import { SCENES, type Scene } from './scenes.js';
import { playScene, press } from './stage.js';

declare global {
  interface Window {
    /** Puts the panel into another state, theme or language without a new page. Settles when it is drawn. */
    showState?: (query: string) => Promise<void>;
  }
}

async function show(query: string): Promise<void> {
  const { state, language, theme } = readOptions(query);
  if (state === null) throw new Error('No such state.');
  const words = await fetch(`/src/static/words/${languageFor(language)}.json`);
  const catalogue = readCatalogue(await words.text());
  if (!catalogue) throw new Error('No words.');
  const strings = createStrings(catalogue);
  const scene: Scene = SCENES[state];
  document.documentElement.dataset['theme'] = theme;
  document.body.textContent = '';
  const root = document.createElement('div');
  document.body.appendChild(root);
  playScene(scene, strings, root);
  await press(
    root,
    (scene.press ?? []).map((key) => strings[key]),
  );
  document.documentElement.dataset['state'] = state;
}

window.showState = show;
await show(location.search);
