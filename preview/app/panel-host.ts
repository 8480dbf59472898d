/** Runs in the panel's frame before the plugin's own script, and stands for what a host gives to a panel. */
import './creative-app.js';
import { readOptions } from './options.js';
import { defineWidgets } from './widgets/index.js';

defineWidgets();

const { language, theme } = readOptions(location.search);

window.creativeApp = {
  name: 'preview',
  version: '1.0.0',
  uiLocale: language,
  theme,
  async exportDocument(format, quality) {
    const app: Window = window.parent;
    if (app.exportOpenDocument === undefined) throw new Error('No document is open.');
    const { name, blob } = await app.exportOpenDocument(format, quality);
    // A Blob of this frame's own: one made in the other frame is no instance of this frame's Blob class.
    return { name, blob: new Blob([blob], { type: blob.type }) };
  },
  setMenu(menu) {
    const app: Window = window.parent;
    app.setPanelMenu?.(menu);
  },
};
