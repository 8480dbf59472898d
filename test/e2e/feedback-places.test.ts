import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send } from '../service/support/users.js';
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

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    const workspaceId = await addWorkspace(service, 'Studio');
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    const share = async (name: string, bytes: Buffer): Promise<string> => {
      const id = await send(service, token, name, new Uint8Array(bytes));
      const sql = 'SELECT 1 FROM uploads WHERE id = $1 AND preview_width IS NOT NULL';
      expect(await becomes(async () => (await service.database.query(sql, [id])).length > 0)).toBe(
        true,
      );
      return `${await shareAs(service, owner, { photo: id })}/photo?photo=${id}`;
    };
    brochure = await share('Brochure.pdf', pdf({ pages: [{}, {}, {}] }));
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
});
