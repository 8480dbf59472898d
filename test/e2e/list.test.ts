import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';

import type { Preview } from '../../preview/server.js';
import type { RunningService } from '../../service/start.js';
import { CleanUp } from './clean-up.js';
import { awaitText, chooseFiles, clickButton, tabOpenedBy } from './click.js';
import { PanelStates } from './panel-states.js';
import { makePhotos, type Photo } from './photos.js';
import { startProduct } from './running-product.js';
import { screenshot } from './screenshot.js';

/** The smallest panel the manifest allows for, and a low one. */
const SMALL = { width: 230, height: 300 };

describe('a list in a panel of 230 by 300 pixels', () => {
  let states: PanelStates;

  beforeAll(async () => {
    states = await PanelStates.open();
    await states.page.setViewport(SMALL);
  });

  afterAll(async () => {
    await states.close();
  });

  it.each(['ten-thousand', 'removed', 'failed'])(
    'scrolls between the progress and the help: %s',
    async (state) => {
      await states.page.evaluate((name) => window.showState?.(`?state=${name}`), state);
      for (const share of [0, 0.5, 1]) {
        await states.page.$eval(
          '.scroll',
          (list, part) => {
            list.scrollTop = part * (list.scrollHeight - list.clientHeight);
          },
          share,
        );
        await new Promise((resolve) => setTimeout(resolve, 300));
        const seen = await states.page.evaluate(() => {
          const box = (selector: string): DOMRect | undefined =>
            [...document.querySelectorAll(selector)]
              .find((found) => found.checkVisibility())
              ?.getBoundingClientRect();
          const isInSight = (selector: string): boolean => {
            const found = box(selector);
            return found !== undefined && found.top >= 0 && found.bottom <= innerHeight;
          };
          return {
            progress: isInSight('.progress') && isInSight('.bar.whole'),
            help: isInSight('.help-toggle'),
            list: (box('.scroll')?.height ?? 0) >= 60,
            page: document.documentElement.scrollHeight <= innerHeight,
          };
        });
        expect(seen).toEqual({ progress: true, help: true, list: true, page: true });
      }
      await screenshot(states.page, `list-${state}-230`);
    },
  );
});

describe('removed photos', () => {
  const cleanUp = new CleanUp();
  let service: RunningService;
  let preview: Preview;
  let browser: Browser;
  let photos: Photo[];
  /** Whether the service can be reached for uploads, and the token it was last sent. */
  let isOnline = false;
  let authorization = '';

  beforeAll(async () => {
    const product = await startProduct('list', cleanUp, { viewport: SMALL });
    ({ service, preview, browser } = product);
    const page = await browser.newPage();
    photos = await makePhotos(
      page,
      product.folder,
      ['one.jpg', 'two.jpg', 'three.jpg'].map((name) => ({ name, size: 200_000 })),
    );
    await page.close();
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('return with Undo until the next start, and are then sent once', async () => {
    const page = await openPanel();
    await signIn(page);
    const paths = photos.map(({ path }) => path);
    await chooseFiles(page, paths, () => clickButton(page, 'Add photos'));
    await awaitText(page, 'No connection');
    await page.waitForFunction(() => document.querySelectorAll('.photo').length === 3);

    // Without a mouse: all of them, and back.
    await tabTo(page, 'List options');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Remove all');
    await page.keyboard.press('Enter');
    await awaitText(page, '3 files removed');
    expect(await names(page)).toEqual([]);
    await page.waitForFunction(() => document.activeElement?.textContent === 'Undo');
    await screenshot(page, 'list-removed-all');
    await page.keyboard.press('Enter');
    await awaitText(page, 'one.jpg');
    expect((await names(page)).sort()).toEqual(['one.jpg', 'three.jpg', 'two.jpg']);

    // One, from its row, for good.
    const gone = (await names(page))[0];
    await clickButton(page, 'Options');
    await clickButton(page, 'Remove');
    await awaitText(page, '1 file removed');

    // The effect of Disconnect is shown before it happens.
    await clickButton(page, 'Account menu');
    await clickButton(page, 'Disconnect');
    await awaitText(page, '2 files are not uploaded yet');
    await screenshot(page, 'list-disconnect');
    await clickButton(page, 'Cancel');

    await page.reload();
    await awaitText(page, 'of 2 uploaded');
    const left = await names(page);
    expect(left).toHaveLength(2);
    expect(left).not.toContain(gone);
    expect(await page.evaluate(() => document.body.innerText)).not.toContain('Undo');
    isOnline = true;
    await page.reload();
    await awaitText(page, '2 files uploaded');
    expect((await arrived()).sort()).toEqual([...left].sort());

    await clickButton(page, 'List options');
    await clickButton(page, 'Clear uploaded');
    await awaitText(page, 'Nothing to upload.');
    expect(await names(page)).toEqual([]);
  });

  /** The panel alone, as large as the window. */
  async function openPanel(): Promise<Page> {
    const page = await browser.newPage();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isUpload = request.url().includes('/api/v1/uploads');
      authorization = request.headers()['authorization'] ?? authorization;
      if (isUpload && !isOnline) void request.abort('internetdisconnected');
      else void request.continue();
    });
    await page.goto(`${preview.url}panel/?lang=en_US`);
    return page;
  }

  async function signIn(page: Page): Promise<void> {
    const devicePage = await tabOpenedBy(browser, `${service.baseUrl}/oauth/device`, () =>
      clickButton(page, 'Connect'),
    );
    const leaveBy = (button: string): Promise<unknown> =>
      Promise.all([devicePage.waitForNavigation(), clickButton(devicePage, button)]);
    const code = await page.waitForSelector('#user-code', { visible: true });
    const field = await devicePage.waitForSelector('input[name="user_code"]');
    const text = (await code?.evaluate((found) => found.textContent.trim())) ?? '';
    if ((await field?.evaluate((input) => input.value)) !== text) await field?.type(text);
    await leaveBy('Continue');
    await devicePage.type('input[name="username"]', service.demo.username);
    await devicePage.type('input[name="password"]', service.demo.password);
    await leaveBy('Sign in');
    await leaveBy('Allow');
    await page.bringToFront();
    await awaitText(page, 'You are connected');
  }

  /** Names of the photos that the service lists as uploaded. */
  async function arrived(): Promise<string[]> {
    const response = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: { Authorization: authorization },
    });
    const { uploads } = (await response.json()) as { uploads: { name: string }[] };
    return uploads.map(({ name }) => name);
  }
});

function names(page: Page): Promise<string[]> {
  return page.$$eval('.photo-name', (found) => found.map((name) => name.textContent));
}

/** Presses Tab until a button with this label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    const focused = await page.evaluate(() => document.activeElement?.textContent.trim());
    if (focused === label) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach "${label}".`);
}
