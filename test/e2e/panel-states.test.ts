import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { THEMES } from '../../preview/app/options.js';
import type { SceneName } from '../../preview/app/states/all-scenes.js';
import { IS_LONG } from '../support/long-runs.js';
import { awaitText } from './click.js';
import { contrastFaults } from './panel-layout.js';
import { languagesAt, PanelStates } from './panel-states.js';
import { screenshot } from './screenshot.js';

/** Successive states of a connected panel without user action. */
const CONNECTED: readonly SceneName[] = [
  'idle',
  'nameless',
  'long-names',
  'other-scripts',
  'another-denied',
  'approved',
  'adding',
  'uploading',
  'sent-again',
  'all-arrived',
  'failed',
  'held',
  'known',
  'delivered-folded',
  'refused',
  'not-added',
  'version',
  'versions',
  'document-failed',
  'offline',
  'unreachable',
  'question',
  'removed',
  'storage-full',
  'storage-unread',
  'found',
  'storage-sign-in',
  'ten-thousand',
];

/** Successive states while a code is shown, without user action except Check now. */
const WITH_CODE: readonly SceneName[] = [
  'code',
  'code-waited',
  'code-checking',
  'code-offline',
  'code-offline-checking',
  'code-unreachable',
  'code-almost-over',
];

/** Every state of the panel, drawn by a real browser and measured there. */
describe('the states of the panel', () => {
  let states: PanelStates;

  beforeAll(async () => {
    states = await PanelStates.open();
  });

  afterAll(async () => {
    await states.close();
  });

  // Narrow panels fail first: long runs add wider ones and a low wide one.
  it.each(IS_LONG ? [230, 300, 480, 600] : [230, 300, 480])(
    'do not overflow, clip or overlap at %d pixels, in its languages',
    async (width) => {
      const size = { width, height: 800 };
      expect(await states.layoutFaults(size, languagesAt(size))).toEqual({});
      expect(states.problems).toEqual([]);
    },
  );

  it.each(IS_LONG ? [230, 300] : [230])(
    'do not overflow, clip or overlap in a panel %d wide and 300 pixels high',
    async (width) => {
      const size = { width, height: 300 };
      expect(await states.layoutFaults(size, languagesAt(size))).toEqual({});
      expect(states.problems).toEqual([]);
    },
  );

  it.each([230, 300, 480])(
    'keep the position of the first buttons at any progress, at %d pixels',
    async (width) => {
      const size = { width, height: 800 };
      for (const lang of languagesAt(size)) {
        const found = await states.places(size, lang, 'firstButtons');
        expect(found['idle']).toHaveLength(4);
        const places = CONNECTED.map((state) => [state, found[state]]);
        expect({ lang, places }).toEqual({
          lang,
          places: CONNECTED.map((state) => [state, found['idle']]),
        });
      }
    },
  );

  it.each([230, 300, 480])(
    'keep the position of the buttons next to a code, at %d pixels',
    async (width) => {
      const size = { width, height: 800 };
      for (const lang of languagesAt(size)) {
        const found = await states.places(size, lang, 'codeButtons');
        const offered = found['code-waited'] ?? [];
        const first = found['code'] ?? [];
        expect(offered.slice(0, first.length)).toEqual(first);
        expect(offered).toHaveLength(first.length + 1);
        const places = WITH_CODE.map((state) => [state, found[state]]);
        expect({ lang, places }).toEqual({
          lang,
          places: WITH_CODE.map((state) => [
            state,
            ['code', 'code-almost-over'].includes(state) ? first : offered,
          ]),
        });
      }
    },
  );

  it.each(THEMES)('are readable in the theme %s', async (theme) => {
    await states.page.setViewport({ width: 300, height: 800 });
    expect(await states.measured({ theme, lang: 'en_US' }, contrastFaults)).toEqual({});
    await screenshot(states.page, `states-${theme}`);
  });

  it('can be chosen in the preview’s menu, with language and width', async () => {
    const preview230 = await states.browser.newPage();
    await preview230.setViewport({ width: 1280, height: 800 });
    await preview230.goto(`${states.preview.url}?lang=de_DE&width=230`);
    await preview230.select('#state', 'denied');
    const frame = await preview230.waitForFrame((found) => found.url().includes('/states?'));
    await awaitText(frame, 'Zugriff abgelehnt');
    expect(await frame.evaluate(() => document.documentElement.clientWidth)).toBe(230);
    expect(preview230.url()).toContain('state=denied');
    await preview230.close();
  });

  it('show ten thousand files with few tiles in the page, at any scroll position', async () => {
    await states.page.setViewport({ width: 300, height: 800 });
    await states.page.evaluate(() => window.showState?.('?state=library-ten-thousand'));
    const found = await states.page.evaluate(async () => {
      const area = document.querySelector('.library-scroll');
      const seen: { tiles: number; first: string; gap: boolean }[] = [];
      for (const share of [0, 0.3, 0.31, 1]) {
        if (!area) break;
        area.scrollTop = share * (area.scrollHeight - area.clientHeight);
        await new Promise((done) => setTimeout(done, 400));
        const { top, bottom } = area.getBoundingClientRect();
        const list = area.querySelector('.library-list')?.getBoundingClientRect();
        const drawn = [...area.querySelectorAll('.tile-row')].map((row) =>
          row.getBoundingClientRect(),
        );
        seen.push({
          tiles: area.querySelectorAll('.tile').length,
          first: area.querySelector('.tile')?.textContent ?? '',
          gap:
            Math.min(...drawn.map((row) => row.top)) > Math.max(top, list?.top ?? 0) + 1 ||
            Math.max(...drawn.map((row) => row.bottom)) < Math.min(bottom, list?.bottom ?? 0) - 1,
        });
      }
      return seen;
    });
    expect(found.map(({ gap }) => gap)).toEqual([false, false, false, false]);
    for (const { tiles } of found) expect(tiles).toBeLessThan(30);
    expect(states.problems).toEqual([]);
  });

  it('show ten thousand photos with few rows in the page, at any scroll position', async () => {
    await states.page.setViewport({ width: 300, height: 800 });
    await states.page.evaluate(() => window.showState?.('?state=ten-thousand'));
    const rows = await states.page.evaluate(async () => {
      const list = document.querySelector('.scroll');
      const found: { count: number; first: string; gap: boolean }[] = [];
      for (const share of [0, 0.5, 1]) {
        if (!list) break;
        list.scrollTop = share * (list.scrollHeight - list.clientHeight);
        await new Promise((done) => setTimeout(done, 400));
        const area = list.getBoundingClientRect();
        // The content above and below the list scrolls with it.
        const { top: start = 0, bottom: end = 0 } =
          list.querySelector('.photos')?.getBoundingClientRect() ?? {};
        const drawn = [...list.querySelectorAll('.photo')].map((row) =>
          row.getBoundingClientRect(),
        );
        found.push({
          count: drawn.length,
          first: list.querySelector('.photo-name')?.textContent ?? '',
          gap:
            Math.min(...drawn.map(({ top }) => top)) > Math.max(area.top, start) + 1 ||
            Math.max(...drawn.map(({ bottom }) => bottom)) < Math.min(area.bottom, end) - 1,
        });
      }
      return found;
    });
    expect(rows.map(({ gap }) => gap)).toEqual([false, false, false]);
    for (const { count } of rows) expect(count).toBeLessThan(40);
    expect(new Set(rows.map(({ first }) => first)).size).toBe(3);
  });
});
