import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';

import { startPreview, type Preview } from '../../preview/server.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';

/** A stand-in for the bundle that needs everything the host must prepare before it runs. */
const BUNDLE = `
  window.atStart = { app: window.creativeApp, button: customElements.get('sp-button') !== undefined };
  document.body.innerHTML = window.markup ?? '';
`;

describe('the simulated host in the preview', () => {
  const cleanUp = new CleanUp();
  let preview: Preview;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'widgets-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true }));
    await writeFile(
      join(folder, 'index.html'),
      '<!doctype html><html><head><script src="main.js"></script></head><body></body></html>',
    );
    await writeFile(join(folder, 'main.js'), BUNDLE);
    preview = await startPreview({ port: 0, distDir: folder });
    cleanUp.add(() => preview.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  beforeEach(async () => {
    page = await browser.newPage();
  });

  /** Shows markup in a panel page; events that reach the body are listed as `type target`. */
  async function show(markup: string): Promise<void> {
    await page.goto(`${preview.url}panel/?lang=fr_FR`);
    await page.evaluate((html) => {
      document.body.innerHTML = html;
      const seen: string[] = [];
      for (const type of ['click', 'change', 'input']) {
        document.body.addEventListener(type, (event) =>
          seen.push(`${type} ${(event.target as Element).localName}`),
        );
      }
      Object.assign(window, { seen });
    }, markup);
  }

  const seen = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  const get = (selector: string, property: string) =>
    page.$eval(selector, (element, name) => Reflect.get(element, name) as unknown, property);

  it('has everything ready before the bundle runs', async () => {
    await page.goto(`${preview.url}panel/?lang=fr_FR`);
    const start = await page.evaluate(
      () => (window as unknown as { atStart: { app: object; button: boolean } }).atStart,
    );
    expect(start.button).toBe(true);
    expect(start.app).toMatchObject({ name: 'preview', uiLocale: 'fr_FR' });
  });

  it('exports the open document as JPEG, PNG and PSD', async () => {
    await page.goto(preview.url);
    const frame = await page.waitForFrame((found) => found.url().includes('/panel/'));
    await frame.waitForFunction(() => window.creativeApp !== undefined);
    const files = await frame.evaluate(async () => {
      const found: { name: string; type: string; start: number[]; own: boolean; size: number }[] =
        [];
      for (const format of ['jpg', 'png', 'psd'] as const) {
        const file = await window.creativeApp?.exportDocument(
          {
            format,
            quality: 10,
            longEdge: null,
            profile: 'document',
            bitDepth: 8,
            appPreset: null,
            metadata: { removeLocation: false, creator: '', copyright: '', contact: '' },
          },
          { documentKey: null, partId: null },
        );
        if (!file) throw new Error('nothing exported');
        const start = [...new Uint8Array(await file.slice(0, 4).arrayBuffer())];
        found.push({
          name: file.name,
          type: file.type,
          start,
          own: file instanceof File,
          size: file.size,
        });
      }
      return found;
    });
    expect(files).toMatchObject([
      {
        name: 'Lake at dusk.jpg',
        type: 'image/jpeg',
        start: [0xff, 0xd8, 0xff, expect.any(Number)],
        own: true,
      },
      { name: 'Lake at dusk.png', type: 'image/png', start: [0x89, 0x50, 0x4e, 0x47], own: true },
      {
        name: 'Lake at dusk.psd',
        type: 'image/vnd.adobe.photoshop',
        start: [0x38, 0x42, 0x50, 0x53],
        own: true,
      },
    ]);
    expect(files[2]?.size).toBe(40 + 3 * 2400 * 1600);
  });

  it('shows the panel the open document, which a button changes', async () => {
    await page.goto(preview.url);
    const frame = await page.waitForFrame((found) => found.url().includes('/panel/'));
    await frame.waitForFunction(() => window.creativeApp !== undefined);
    const look = () =>
      frame.evaluate(async () => {
        const document = window.creativeApp?.openDocument();
        const thumbnail = await document?.thumbnail(200);
        return { name: document?.name, xmp: document?.xmp, state: document?.stateId, thumbnail };
      });
    const before = await look();
    expect(before.name).toBe('Lake at dusk.psd');
    expect(before.xmp).toContain('xmpMM:DocumentID="xmp.did:preview-lake-at-dusk"');
    expect(before.thumbnail).toMatch(/^data:image\/jpeg;base64,/);
    expect(await look()).toEqual(before);
    await page.click('#edit');
    const after = await look();
    expect(after.state).not.toBe(before.state);
    expect(after.thumbnail).not.toBe(before.thumbnail);
  });

  it('gives the panel exactly the requested width, and closes and opens it', async () => {
    await page.goto(`${preview.url}?width=230`);
    await page.waitForFrame((found) => found.url().includes('/panel/'));
    expect(await page.$eval('#panel', (panel) => panel.getBoundingClientRect().width)).toBe(230);
    await page.click('#toggle');
    await page.waitForFrame((found) => found.url() === 'about:blank');
    await page.click('#toggle');
    const again = await page.waitForFrame((found) => found.url().includes('/panel/'));
    await again.waitForFunction(() => window.creativeApp !== undefined);
  });

  it('changes the theme of a running panel without reloading it', async () => {
    await page.goto(`${preview.url}?theme=darkest`);
    const panel = await page.waitForFrame((found) => found.url().includes('/panel/'));
    await panel.waitForFunction(() => window.creativeApp !== undefined);
    await panel.evaluate(() => Object.assign(window, { stillHere: true }));
    const content = '@media (prefers-color-scheme: lightest) { body { color: rgb(1, 2, 3) } }';
    await panel.addStyleTag({ content });
    await page.select('#theme', 'lightest');
    const state = await panel.evaluate(() => ({
      background: getComputedStyle(document.body).backgroundColor,
      color: getComputedStyle(document.body).color,
      stillHere: Reflect.get(window, 'stillHere') as unknown,
    }));
    expect(state).toEqual({
      ...{ background: 'rgb(240, 240, 240)', color: 'rgb(1, 2, 3)' },
      stillHere: true,
    });
  });

  it('presses enabled buttons once by mouse, Enter and Space', async () => {
    await show(
      '<sp-button>One</sp-button><sp-action-button>Two</sp-action-button><sp-button id="off" disabled>Off</sp-button>',
    );
    await page.click('sp-button');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.click('#off');
    await page.$eval('#off', (button) => (button as HTMLElement).click());
    expect(await seen()).toEqual(['click sp-button', 'click sp-button', 'click sp-action-button']);
    await page.$eval('#off', (button) => button.removeAttribute('disabled'));
    await page.click('#off');
    expect(await seen()).toHaveLength(4);
  });

  it('accepts text, and takes its name from its placeholder', async () => {
    await show('<sp-textfield placeholder="Search"></sp-textfield><sp-button>Next</sp-button>');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ab');
    await page.keyboard.press('Tab');
    expect(await get('sp-textfield', 'value')).toBe('ab');
    expect(await seen()).toEqual([
      'input sp-textfield',
      'input sp-textfield',
      'change sp-textfield',
    ]);
    const tree = await page.accessibility.snapshot();
    expect(tree?.children).toMatchObject([
      { role: 'textbox', name: 'Search', value: 'ab' },
      { role: 'button', name: 'Next', focused: true },
    ]);
    await page.$eval('sp-textfield', (field) => Reflect.set(field, 'value', ''));
    expect(await get('sp-textfield', 'value')).toBe('');
  });
});
