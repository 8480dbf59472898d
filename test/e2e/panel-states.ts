import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

import { LANGUAGES } from '../../preview/app/options.js';
import { SCENES } from '../../preview/app/states/scenes.js';
import { startPreview, type Preview } from '../../preview/server.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { layoutFaults } from './panel-layout.js';

/** What was found wrong, by state. */
export type Findings = Readonly<Record<string, readonly string[]>>;

/** Every state of the panel, drawn by a real browser from the sources, to be measured there. */
export class PanelStates {
  readonly #cleanUp = new CleanUp();
  /** What went wrong in the page itself. */
  readonly problems: string[] = [];

  private constructor(
    readonly preview: Preview,
    readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(): Promise<PanelStates> {
    const cleanUp = new CleanUp();
    try {
      // The gallery draws from the sources; the server wants a bundle to be there all the same.
      const folder = await mkdtemp(join(tmpdir(), 'states-'));
      cleanUp.add(() => rm(folder, { recursive: true, force: true }));
      for (const name of ['index.html', 'main.js']) await writeFile(join(folder, name), '');
      const preview = await startPreview({ port: 0, distDir: folder });
      cleanUp.add(() => preview.close());
      const browser = await launchBrowser({ viewport: { width: 300, height: 800 } });
      cleanUp.add(() => browser.close());
      const states = new PanelStates(preview, browser, await browser.newPage());
      states.#cleanUp.add(() => cleanUp.run());
      states.page.on('pageerror', (error) => states.problems.push(String(error)));
      await states.page.goto(`${preview.url}states?state=starting`);
      await states.page.waitForFunction(() => window.showState !== undefined);
      return states;
    } catch (error) {
      await cleanUp.run();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#cleanUp.run();
  }

  /** Shows each state, or those named, and gives what `measure` finds; states in order are left out. */
  async measured(
    { theme, lang }: { readonly theme: string; readonly lang: string },
    measure: () => string[],
    shown: readonly string[] = Object.keys(SCENES),
  ): Promise<Findings> {
    return this.page.evaluate(
      async (states, themeName, language, source) => {
        // What compiles scripts on the fly leaves calls of __name in functions, which a page does not know.
        // oxlint-disable-next-line typescript/no-implied-eval -- a function of ours, sent along as text
        const run = new Function(
          `const __name = (it) => it; return (${source})()`,
        ) as () => string[];
        const found: Record<string, string[]> = {};
        for (const state of states) {
          const query = new URLSearchParams({ state, theme: themeName, lang: language });
          await window.showState?.(`?${query.toString()}`);
          // A browser without a Japanese font draws narrow boxes: each text gets the width that its signs would have.
          const pen = document.createElement('canvas').getContext('2d');
          if (pen) pen.font = '100px sans-serif';
          const missing = pen ? Math.max(0, 1 - pen.measureText('あ').width / 100) : 0;
          for (const element of document.querySelectorAll<HTMLElement>('body *')) {
            const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
            const signs = own.map(({ textContent }) => textContent ?? '').join('');
            const wide = signs.replace(/[\0-\u2e7f]/g, '').length;
            const space = signs.length === 0 ? 0 : (missing * wide) / signs.length;
            element.style.letterSpacing = language === 'ja_JP' ? `${space}em` : '';
          }
          const faults = run();
          if (faults.length > 0) found[state] = faults;
        }
        return found;
      },
      shown,
      theme,
      lang,
      measure.toString(),
    );
  }

  /** What overflows, is clipped or lies over something else in a panel of this size, by language; none when all is well. */
  async layoutFaults(size: {
    readonly width: number;
    readonly height: number;
  }): Promise<Readonly<Record<string, Findings>>> {
    await this.page.setViewport(size);
    const found: Record<string, Findings> = {};
    for (const lang of Object.keys(LANGUAGES)) {
      const faults = await this.measured({ theme: 'darkest', lang }, layoutFaults);
      if (Object.keys(faults).length > 0) found[lang] = faults;
    }
    return found;
  }
}
