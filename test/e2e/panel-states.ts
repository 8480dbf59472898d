import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

import { LANGUAGES } from '../../preview/app/options.js';
import { SCENES } from '../../preview/app/states/all-scenes.js';
import { startPreview, type Preview } from '../../preview/server.js';
import { IS_LONG } from '../support/long-runs.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { codeButtons, firstButtons, layoutFaults } from './panel-layout.js';

/** The faults, by state. */
export type Findings = Readonly<Record<string, readonly string[]>>;

/**
 * In which languages the tests draw a panel of this size: in all where it is narrowest, where long texts fail first, also
 * beside a scroll bar; at other sizes, except long runs, in English, in German with its long words, and in Japanese.
 */
export function languagesAt(size: Size): string[] {
  const all = Object.keys(LANGUAGES);
  if (IS_LONG || size.width === 230) return all;
  return all.filter((lang) => ['en_US', 'de_DE', 'ja_JP'].includes(lang));
}

/** Size of a panel in CSS pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Every state of the panel, drawn by a real browser from the sources, to be measured there. */
export class PanelStates {
  readonly #cleanUp = new CleanUp();
  /** Errors in the page itself. */
  readonly problems: string[] = [];
  /** Completed measurements, by size and language. */
  readonly #known = new Map<string, Promise<Readonly<Record<string, Findings>>>>();

  private constructor(
    readonly preview: Preview,
    readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(): Promise<PanelStates> {
    const cleanUp = new CleanUp();
    try {
      // The gallery draws from the sources; the server still requires a bundle.
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

  /** Shows each state, and gives what `measure` finds; states in order are left out. */
  async measured(
    look: { readonly theme: string; readonly lang: string },
    measure: () => string[],
  ): Promise<Findings> {
    return (await this.#measured(look, { measure }))['measure'] ?? {};
  }

  /** Showing a state costs more than measuring it: all measurements of one size are done together. */
  #measured(
    { theme, lang }: { readonly theme: string; readonly lang: string },
    measures: Readonly<Record<string, () => string[]>>,
  ): Promise<Readonly<Record<string, Findings>>> {
    return this.page.evaluate(
      async (states, themeName, language, sources) => {
        // The compiler of the tests adds calls of __name, which a page does not define.
        const found: Record<string, Record<string, string[]>> = {};
        const runs = sources.map(([name, source]) => {
          // oxlint-disable-next-line typescript/no-implied-eval -- a function of ours, sent along as text
          const run = new Function(`const __name = (it) => it; return (${source})()`);
          const findings: Record<string, string[]> = {};
          found[name] = findings;
          return { run: run as () => string[], findings };
        });
        // A browser without a Japanese font draws narrow boxes: each text gets the width that its signs would have.
        const pen = document.createElement('canvas').getContext('2d');
        if (pen) pen.font = '100px sans-serif';
        const missing = pen ? Math.max(0, 1 - pen.measureText('あ').width / 100) : 0;
        for (const state of states) {
          const query = new URLSearchParams({ state, theme: themeName, lang: language });
          // All elements are new with it.
          await window.showState?.(`?${query.toString()}`);
          const elements =
            language === 'ja_JP' ? document.querySelectorAll<HTMLElement>('body *') : [];
          for (const element of elements) {
            const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
            const signs = own.map(({ textContent }) => textContent ?? '').join('');
            const wide = signs.replace(/[\0-\u2e7f]/g, '').length;
            if (wide > 0) element.style.letterSpacing = `${(missing * wide) / signs.length}em`;
          }
          for (const { run, findings } of runs) {
            const faults = run();
            if (faults.length > 0) findings[state] = faults;
          }
        }
        return found;
      },
      Object.keys(SCENES),
      theme,
      lang,
      Object.entries(measures).map(([name, measure]) => [name, measure.toString()] as const),
    );
  }

  /** Elements that overflow, are clipped or overlap in a panel of this size, by language. */
  async layoutFaults(
    size: Size,
    languages: readonly string[] = Object.keys(LANGUAGES),
  ): Promise<Readonly<Record<string, Findings>>> {
    const found: Record<string, Findings> = {};
    for (const lang of languages) {
      const { layoutFaults: faults = {} } = await this.#layout(size, lang);
      if (Object.keys(faults).length > 0) found[lang] = faults;
    }
    return found;
  }

  /** Where buttons stand in a panel of this size: the first ones above the list, or those beside a code. */
  async places(size: Size, lang: string, which: 'firstButtons' | 'codeButtons'): Promise<Findings> {
    return (await this.#layout(size, lang))[which] ?? {};
  }

  async #layout(size: Size, lang: string): Promise<Readonly<Record<string, Findings>>> {
    const key = `${size.width} ${size.height} ${lang}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    await this.page.setViewport(size);
    const measuring = this.#measured(
      { theme: 'darkest', lang },
      { layoutFaults, firstButtons, codeButtons },
    );
    this.#known.set(key, measuring);
    return measuring;
  }
}
