/** Runs in the panel's frame before the plugin's own script, and provides what a host gives to a panel. */
import { showColourScheme } from './colour-scheme.js';
import './creative-app.js';
import { EXPORT_FORMATS } from './export-document.js';
import { readOptions } from './options.js';
import { defineWidgets } from './widgets/index.js';

defineWidgets();

const { language, theme } = readOptions(location.search);

const root = document.documentElement;
const showScheme = (): void => {
  showColourScheme(readOptions(`?theme=${root.dataset['theme'] ?? theme}`).theme);
};
showScheme();
// Again once the plugin's own style sheets have been loaded, and when the app changes the theme.
window.addEventListener('load', showScheme);
new MutationObserver(showScheme).observe(root, { attributeFilter: ['data-theme'] });

const app: Window = window.parent;
const { documentComments, placedPictures } = app;
window.creativeApp = {
  name: 'preview',
  version: '1.0.0',
  os: /Windows|Linux/.exec(navigator.userAgent)?.[0] ?? 'macOS',
  uiLocale: language,
  exportFormats: EXPORT_FORMATS,
  async exportDocument(settings, target) {
    const exported = (await app.exportOpenDocument?.(settings, target)) ?? null;
    if (exported === null) {
      return null;
    }
    const { name, blob } = exported;
    // A new File of this frame: one that was made in the other frame is no instance of this frame's classes.
    return new File([blob], name, { type: blob.type });
  },
  documents() {
    return app.readDocuments?.() ?? [];
  },
  saveFile(name, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  },
  openDocument() {
    return app.readOpenDocument?.() ?? null;
  },
  // The panel alone in a window has no document.
  ...(placedPictures && {
    placing: {
      ...placedPictures,
      // A file of this frame, as above.
      folders: (toPhoto) => placedPictures.folders((file) => toPhoto(new File([file], file.name))),
    },
  }),
  ...(documentComments && { comments: documentComments }),
  setMenu(menu) {
    app.setPanelMenu?.(menu);
  },
};
