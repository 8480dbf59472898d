import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send } from '../service/support/users.js';
import { film } from '../support/films.js';
import { pdf } from '../support/pdf.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';
import { screenshot } from './screenshot.js';

const WIDTHS = [375, 1280] as const;

describe('a guest who comments at a place', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let brochure: string;
  let trailer: string;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    const workspaceId = await addWorkspace(service, 'Studio');
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    const share = async (name: string, bytes: Buffer, column: string): Promise<string> => {
      const id = await send(service, token, name, new Uint8Array(bytes));
      const sql = `SELECT 1 FROM uploads WHERE id = $1 AND ${column} IS NOT NULL`;
      expect(await becomes(async () => (await service.database.query(sql, [id])).length > 0)).toBe(
        true,
      );
      return `${await shareAs(service, owner, { photo: id })}/photo?photo=${id}`;
    };
    brochure = await share('Brochure.pdf', pdf({ pages: [{}, {}, {}] }), 'preview_width');
    trailer = await share('Trailer.webm', film('counting.webm'), 'media_info');
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  const visit = async (path: string): Promise<Page> => {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(service.baseUrl + path);
    return page;
  };
  const write = async (page: Page, words: string): Promise<void> => {
    await page.type('#comment', words);
    await page.click('.write [name="comment"]');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Mia');
    await page.click('dialog .main');
    await page.waitForSelector('.comments a.place');
  };
  const pictures = async (page: Page, name: string): Promise<void> => {
    for (const width of WIDTHS) {
      for (const scheme of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 900 });
        await screenshot(page, `${name}-${width}-${scheme}`);
      }
    }
  };

  it('of a document has the page that is shown, and is led back to it', async () => {
    const page = await visit(brochure);
    await page.click('nav.pages li:nth-child(3) a');
    await page.waitForFunction(() =>
      document.querySelector('.write .option')?.textContent.includes('Page 3'),
    );
    await page.click('button.point');
    await page.click('.large figure img');
    await write(page, 'The logo is missing');
    const isShown = (): Promise<boolean> =>
      page.$eval('.large .pins g', (pin) => getComputedStyle(pin).display !== 'none');
    expect(await page.$eval('.comments a.place', (link) => link.textContent)).toBe('Page 3');
    expect(await isShown()).toBe(true);
    await pictures(page, 'comment-at-page');
    await page.click('nav.pages li:nth-child(1) a');
    expect(await becomes(async () => !(await isShown()))).toBe(true);
    await page.click('.comments a.place');
    expect(await becomes(isShown)).toBe(true);
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
    await page.browserContext().close();
  });

  it('of a film has the time of the player, and is led back to it', async () => {
    const page = await visit(trailer);
    const time = (): Promise<number> => page.$eval('video', (video) => video.currentTime);
    const goTo = async (seconds: number): Promise<void> => {
      await page.$eval(
        'video',
        (video, at) => {
          video.currentTime = at;
        },
        seconds,
      );
      expect(await becomes(async () => Math.abs((await time()) - seconds) < 0.01)).toBe(true);
    };
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2);
    await goTo(2.5);
    await page.waitForFunction(
      () => document.querySelector('.take-time[data-field="start"]')?.textContent === 'At 0:02',
    );
    await page.click('.take-time[data-field="start"]');
    await goTo(3.5);
    await page.click('.take-time[data-field="end"]');
    await write(page, 'Cut this');
    expect(await page.$eval('.comments a.place', (link) => link.textContent)).toBe('0:02–0:03');
    await pictures(page, 'comment-at-time');
    await goTo(0);
    await page.click('.comments a.place');
    expect(await becomes(async () => (await time()) === 2.5)).toBe(true);
    await goTo(0);
    await page.$eval('.ticks a', (tick) =>
      tick.dispatchEvent(new MouseEvent('click', { bubbles: true })),
    );
    expect(await becomes(async () => (await time()) === 2.5)).toBe(true);
    const address = await page.$eval(
      '.comments a.place',
      (link) => link.getAttribute('href') ?? '',
    );
    expect(address).toMatch(/#t=2\.5,3\.5$/);
    const later = await visit(address);
    const timeLater = (): Promise<number> => later.$eval('video', (video) => video.currentTime);
    expect(await becomes(async () => (await timeLater()) === 2.5)).toBe(true);
    await later.browserContext().close();
    await page.browserContext().close();
  });
});
