import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';

import { LANGUAGES, THEMES } from '../../preview/app/options.js';
import { SCENES } from '../../preview/app/states/scenes.js';
import { startPreview, type Preview } from '../../preview/server.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { awaitText } from './click.js';
import { contrastFaults, layoutFaults } from './panel-layout.js';
import { screenshot } from './screenshot.js';

const STATES = Object.keys(SCENES);

/** Every state of the panel, drawn by a real browser and measured there. */
describe('the states of the panel', () => {
  const cleanUp = new CleanUp();
  let preview: Preview;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    // The gallery draws from the sources; the server wants a bundle to be there all the same.
    const folder = await mkdtemp(join(tmpdir(), 'states-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true }));
    for (const name of ['index.html', 'main.js']) await writeFile(join(folder, name), '');
    preview = await startPreview({ port: 0, distDir: folder });
    cleanUp.add(() => preview.close());
    browser = await launchBrowser({ viewport: { width: 300, height: 800 } });
    cleanUp.add(() => browser.close());
    page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(`${preview.url}states?state=starting`);
    await page.waitForFunction(() => window.showState !== undefined);
  }, 60_000);

  afterAll(async () => {
    await cleanUp.run();
  });

  /** Shows each state and gives what `measure` finds, by state. */
  async function measured(
    options: { readonly theme: string; readonly lang: string },
    measure: () => string[],
  ): Promise<Record<string, string[]>> {
    return page.evaluate(
      async (states, theme, lang, source) => {
        // eslint-disable-next-line @typescript-eslint/no-implied-eval -- a function of ours, sent along as text
        const run = new Function(`return (${source})()`) as () => string[];
        const found: Record<string, string[]> = {};
        for (const state of states) {
          await window.showState?.(`?${new URLSearchParams({ state, theme, lang }).toString()}`);
          // A browser without a Japanese font draws narrow boxes: they get the width the signs would have.
          const isJapanese = lang === 'ja_JP';
          document.body.style.letterSpacing = isJapanese ? '0.35em' : '';
          for (const latin of document.querySelectorAll<HTMLElement>(
            '.photo-name, .photo-size, .user-code, .address, .error-code',
          ))
            latin.style.letterSpacing = isJapanese ? 'normal' : '';
          const faults = run();
          if (faults.length > 0) found[state] = faults;
        }
        return found;
      },
      STATES,
      options.theme,
      options.lang,
      measure.toString(),
    );
  }

  it.each([230, 300, 480, 600])(
    'overflow, clip and overlap nowhere at %d pixels, in any language',
    async (width) => {
      await page.setViewport({ width, height: 800 });
      const found: Record<string, unknown> = {};
      for (const lang of Object.keys(LANGUAGES))
        found[lang] = await measured({ theme: 'darkest', lang }, layoutFaults);
      expect(found).toEqual(Object.fromEntries(Object.keys(LANGUAGES).map((lang) => [lang, {}])));
      expect(problems).toEqual([]);
    },
    60_000,
  );

  it.each(THEMES)(
    'are readable in the theme %s',
    async (theme) => {
      await page.setViewport({ width: 300, height: 800 });
      expect(await measured({ theme, lang: 'en_US' }, contrastFaults)).toEqual({});
      await screenshot(page, `states-${theme}`);
    },
    30_000,
  );

  it('can be chosen in the menu of the preview, and come with its language and width', async () => {
    const preview230 = await browser.newPage();
    await preview230.setViewport({ width: 1280, height: 800 });
    await preview230.goto(`${preview.url}?lang=de_DE&width=230`);
    await preview230.select('#state', 'denied');
    const frame = await preview230.waitForFrame((found) => found.url().includes('/states?'));
    await awaitText(frame, 'Die Anfrage wurde abgelehnt');
    expect(await frame.evaluate(() => document.documentElement.clientWidth)).toBe(230);
    expect(preview230.url()).toContain('state=denied');
    await preview230.close();
  }, 30_000);

  it('show ten thousand photos with few rows in the page, at any place of the list', async () => {
    await page.setViewport({ width: 300, height: 800 });
    await page.evaluate(() => window.showState?.('?state=ten-thousand'));
    const rows = await page.evaluate(async () => {
      const list = document.querySelector('.photos');
      const found: { count: number; first: string; gap: boolean }[] = [];
      for (const share of [0, 0.5, 1]) {
        if (!list) break;
        list.scrollTop = share * (list.scrollHeight - list.clientHeight);
        await new Promise((done) => setTimeout(done, 400));
        const area = list.getBoundingClientRect();
        const drawn = [...list.querySelectorAll('.photo')].map((row) =>
          row.getBoundingClientRect(),
        );
        found.push({
          count: drawn.length,
          first: list.querySelector('.photo-name')?.textContent ?? '',
          gap:
            Math.min(...drawn.map(({ top }) => top)) > area.top + 1 ||
            Math.max(...drawn.map(({ bottom }) => bottom)) < area.bottom - 1,
        });
      }
      return found;
    });
    expect(rows.map(({ gap }) => gap)).toEqual([false, false, false]);
    for (const { count } of rows) expect(count).toBeLessThan(40);
    expect(new Set(rows.map(({ first }) => first)).size).toBe(3);
  }, 30_000);
});
