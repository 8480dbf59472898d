import { MIN_UXP_VERSION } from './config.js';
import type { CreativeAppPage } from './host/browser/creative-app.js';
import { showInPage } from './host/browser/panel-page.js';
import type { PluginPage, PluginScript } from './host/panel-entry.js';
import { hostClock } from './host/system.js';
import { registerEntryPoints } from './host/uxp/entry-points.js';
import type { UxpModule } from './host/uxp/uxp-module.js';
import { languageFor, type Language } from './ui/i18n/language.js';
import { drawShell, SHELL_MENU, type ShellTexts } from './panel/shell.js';
import { isOlder } from './util/version.js';

/** The texts of the catalogs, picked by the build. */
declare const BUILD_SHELL_TEXTS: Readonly<Record<Language, ShellTexts>>;

/** As in manifest.json. */
const PANEL_ID = 'creativeWorkspacePanel';

/** What the second script is, for `require` and for a page. */
const SCRIPT = 'main.js';

/** The part of a browser's window that is used here. */
type Page = PluginPage & { readonly creativeApp?: CreativeAppPage };

// All of this runs while the script loads, because the host wants its entry points set up at once.
if (typeof require === 'function') {
  startInUxp(require('uxp') as UxpModule);
} else {
  startInBrowser(window as Page);
}

function startInUxp(uxp: UxpModule): void {
  const { name, uiLocale } = uxp.host;
  const isUnsupported = isOlder(uxp.versions.uxp, MIN_UXP_VERSION);
  const { texts, drawShell: draw } = shellIn(uiLocale);
  registerEntryPoints(uxp, {
    panelId: PANEL_ID,
    menu: isUnsupported ? [] : SHELL_MENU.map(({ id, label }) => ({ id, label: texts[label] })),
    // Premiere's manifest has none.
    commands: /premiere/i.test(name) ? [] : ['uploadDocument', 'uploadAllDocuments'],
    drawShell: draw,
    clock: hostClock,
    load: (onLoad) => {
      // A path relative to the page (guide "How to").
      onLoad(require(`./${SCRIPT}`) as PluginScript);
    },
  });
}

function startInBrowser(page: Page): void {
  const { body } = document;
  showInPage(body, page.creativeApp, {
    drawShell: shellIn(page.creativeApp?.uiLocale ?? navigator.language).drawShell,
    clock: hostClock,
    load: (onLoad, onError) => {
      const script = document.createElement('script');
      script.src = SCRIPT;
      script.addEventListener('error', () => {
        onError(new Error(`no ${SCRIPT}`));
      });
      script.addEventListener('load', () => {
        if (page.creativeWorkspace) {
          onLoad(page.creativeWorkspace);
        } else {
          onError(new Error(`${SCRIPT} has failed`));
        }
      });
      body.appendChild(script);
    },
  });
}

function shellIn(uiLocale: string): {
  readonly texts: ShellTexts;
  readonly drawShell: (root: HTMLElement, hasFailed: boolean) => void;
} {
  const language = languageFor(uiLocale);
  const texts = BUILD_SHELL_TEXTS[language];
  return {
    texts,
    drawShell: (root, hasFailed) => {
      drawShell(root, language, texts, hasFailed);
    },
  };
}
