import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Frame, Page } from 'puppeteer-core';

import type { Preview } from '../../preview/server.js';
import type { RunningService } from '../../service/start.js';
import { CleanUp } from './clean-up.js';
import { awaitText, chooseFiles, tabOpenedBy } from './click.js';
import { makePhotos, type Photo } from './photos.js';
import { startProduct } from './running-product.js';
import { screenshot } from './screenshot.js';

/** From opening the panel to uploaded photos, without a mouse. */
describe('the panel with the keyboard only', () => {
  const cleanUp = new CleanUp();
  let service: RunningService;
  let preview: Preview;
  let browser: Browser;
  let photos: Photo[];

  beforeAll(async () => {
    const product = await startProduct('keyboard', cleanUp);
    ({ service, preview, browser } = product);
    const page = await browser.newPage();
    photos = await makePhotos(page, product.folder, [
      { name: 'one.jpg', size: 200_000 },
      { name: 'two.jpg', size: 300_000 },
    ]);
    await page.close();
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('connects and uploads with three key presses and one browser page', async () => {
    const page = await browser.newPage();
    await page.goto(preview.url);
    const panel = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
    await awaitText(panel, 'Connect once.');
    let presses = 0;
    const press = async (label: string): Promise<void> => {
      await tabTo(page, panel, label);
      await page.keyboard.press('Enter');
      presses += 1;
    };

    const devicePage = await tabOpenedBy(browser, `${service.baseUrl}/oauth/device`, () =>
      press('Connect'),
    );
    await approve(devicePage, panel, service);

    await page.bringToFront();
    await awaitText(panel, 'You are connected');
    // The focus has moved to the next control.
    expect(await focusedLabel(panel)).toBe('Add photos');
    await screenshot(page, 'keyboard-connected');
    const paths = photos.map(({ path }) => path);
    await chooseFiles(page, paths, () => press('Add photos'));
    await awaitText(panel, '2 files uploaded');
    expect(presses).toBeLessThanOrEqual(3);
  });

  it('moves through all controls in visual order, with a visible focus', async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 230, height: 1400 });
    await page.goto(`${preview.url}states?state=uploading`);
    await page.waitForFunction(() => document.documentElement.dataset['state'] === 'uploading');
    const seen: { label: string; ring: boolean; top: number }[] = [];
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        const frame = element?.closest('.button, .control');
        if (!element || !frame) return null;
        return {
          label: element.textContent,
          ring: getComputedStyle(frame).borderTopColor !== 'rgba(0, 0, 0, 0)',
          top: Math.round(element.getBoundingClientRect().top),
        };
      });
      if (!focused) break;
      seen.push(focused);
    }
    expect(seen.map(({ label }) => label)).toEqual([
      'Account menu',
      'Upload this document',
      'Print',
      'Add photos',
      'Pause',
      'List options',
      ...Array<string>(7).fill('Options'),
      'Files in browser',
      'Help',
    ]);
    expect(seen.every(({ ring }) => ring)).toBe(true);
    expect(seen.map(({ top }) => top)).toEqual(seen.map(({ top }) => top).sort((a, b) => a - b));

    // A menu takes the focus, and Escape gives it back.
    await page.keyboard.down('Shift');
    await page.keyboard.press('Tab'); // the help
    await page.keyboard.press('Tab'); // all photos in the browser
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab'); // the last photo that waits, above two that are uploaded
    await page.keyboard.up('Shift');
    await page.keyboard.press('Space');
    expect(await focusedLabel(page)).toBe('Upload next');
    await page.keyboard.press('ArrowDown');
    expect(await focusedLabel(page)).toBe('Remove');
    await page.keyboard.press('Escape');
    expect(await focusedLabel(page)).toBe('Options');
  });

  it('reaches and searches the uploaded photos', async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 230, height: 1400 });
    await page.goto(`${preview.url}states?state=delivered`);
    await page.waitForFunction(() => document.documentElement.dataset['state'] === 'delivered');
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
    });
    const seen: string[] = [];
    for (let count = 0; count < 40 && seen.at(-1) !== 'Help'; count += 1) {
      await page.keyboard.press('Tab');
      seen.push(
        await page.evaluate(() => {
          const element = document.activeElement;
          return element?.getAttribute('placeholder') ?? element?.textContent ?? '';
        }),
      );
    }
    expect(seen.slice(seen.indexOf('Search by name'))).toEqual([
      'Search by name',
      'Copy list',
      'Clear list',
      ...Array<string>(3).fill('Options'),
      'Files in browser',
      'Help',
    ]);
    await page.focus('sp-textfield');
    await page.keyboard.type('0413');
    await page.waitForFunction(() => document.querySelectorAll('.earlier .photo').length === 1);
  });
});

function focusedLabel(place: Page | Frame): Promise<string> {
  return place.evaluate(() => document.activeElement?.textContent.trim() ?? '');
}

/** Presses Tab until a button of the panel with this label has the focus. */
async function tabTo(page: Page, panel: Frame, label: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    if ((await focusedLabel(panel)) === label) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach "${label}".`);
}

/** One page, on which the user signs in and chooses Allow. */
async function approve(page: Page, panel: Frame, service: RunningService): Promise<void> {
  const code = await panel.$eval('#user-code', (element) => element.textContent.trim());
  await page.bringToFront();
  await awaitText(page, code); // the address brought it along: there is only to compare
  await tabToPageButton(page, 'Continue');
  await enter(page);
  await fill(page, 'username', service.demo.username);
  await fill(page, 'password', service.demo.password);
  await enter(page);
  await awaitText(page, service.demo.workspace);
  await tabToPageButton(page, 'Allow');
  await enter(page);
}

async function tabToPageButton(page: Page, label: string): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    if ((await focusedLabel(page)) === label) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach "${label}".`);
}

async function enter(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Tabs to a field and types the missing text. */
async function fill(page: Page, name: string, text: string): Promise<void> {
  await page.waitForSelector(`input[name="${name}"]`);
  for (let count = 0; count < 20; count += 1) {
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('name'));
    if (focused === name) {
      const value = await page.$eval(`input[name="${name}"]`, (field) => field.value);
      if (value !== text) await page.keyboard.type(text);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach the field ${name}.`);
}
