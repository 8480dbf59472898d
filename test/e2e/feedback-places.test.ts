import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send } from '../service/support/users.js';
import { film } from '../support/films.js';
import { pdf } from '../support/pdf.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';
import { screenshot } from './screenshot.js';

const WIDTHS = [375, 1280] as const;

describe('a guest who comments at a place', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;
  let brochure: string;
  let trailer: string;
  let teaser: string;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    axe = await serveAxe(cleanUp);
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
    brochure = await share('Brochure.pdf', pdf({ pages: [{}, {}, {}, {}, {}] }), 'preview_width');
    trailer = await share('Trailer.webm', film('counting.webm'), 'media_info');
    teaser = await share('Teaser.webm', film('counting.webm'), 'media_info');
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
    expect(
      await page.$$eval('nav.pages a[data-comments]', (links) =>
        links.map(({ dataset, title }) => [dataset['page'], dataset['comments'], title]),
      ),
    ).toEqual([['3', '1', 'Comments: 1']]);
    await pictures(page, 'comment-at-page');
    await page.click('nav.pages li:nth-child(1) a');
    expect(await becomes(async () => !(await isShown()))).toBe(true);
    await page.click('.comments a.place');
    expect(await becomes(isShown)).toBe(true);
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
    await page.browserContext().close();
  });

  it('turns at once to a page that was decoded before', async () => {
    const wanted = new Set<string>();
    const page = await (await browser.createBrowserContext()).newPage();
    page.on('request', (request) => wanted.add(request.url()));
    await page.goto(service.baseUrl + brochure);
    const links = await page.$$eval('nav.pages a[data-page]', (all) =>
      all.map(({ dataset }) => dataset['preview'] ?? ''),
    );
    const isWanted = (number: number): Promise<boolean> =>
      becomes(() => Promise.resolve(wanted.has(new URL(links[number - 1] ?? '', page.url()).href)));
    const turn = (to: 'next' | 'prev'): Promise<string> =>
      page.evaluate((rel) => {
        document.querySelector<HTMLElement>(`a[data-turn="${rel}"]`)?.click();
        return document.querySelector('.large figure img')?.getAttribute('src') ?? '';
      }, to);
    // A page that is still being made is a tile, which is not kept.
    const side = (preview: string): Promise<number> =>
      page.evaluate(async (address) => {
        const { width, height } = await createImageBitmap(await (await fetch(address)).blob());
        return Math.max(width, height);
      }, preview);
    for (const preview of links) {
      expect(await becomes(async () => (await side(preview)) === 2048)).toBe(true);
    }
    wanted.clear();
    await page.reload();
    // A page is requested when the one before it is decoded.
    expect(await isWanted(3)).toBe(true);
    expect(await turn('next')).toContain(links[1]);
    expect(await isWanted(4)).toBe(true);
    expect(await turn('next')).toContain(links[2]);
    expect(await turn('prev')).toContain(links[1]);
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
    const seconds = await page.$eval('video', (video) => video.duration);
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
    await page.evaluate(() => document.querySelector<SVGAElement>('.time-line a.place')?.focus());
    await page.keyboard.press('Enter');
    expect(await becomes(async () => (await time()) === 2.5)).toBe(true);
    const line = await page.waitForSelector('.time-line');
    const { x = 0, y = 0, width = 0, height = 0 } = (await line?.boundingBox()) ?? {};
    await page.mouse.click(x + width * 0.25, y + height / 2);
    expect(await becomes(async () => Math.abs((await time()) - 0.25 * seconds) < 0.1)).toBe(true);
    const address = await page.$eval(
      '.comments a.place',
      (link) => link.getAttribute('href') ?? '',
    );
    expect(address).toMatch(/&time=2\.5$/);
    const later = await visit(address);
    const timeLater = (): Promise<number> => later.$eval('video', (video) => video.currentTime);
    expect(await becomes(async () => (await timeLater()) === 2.5)).toBe(true);
    await later.browserContext().close();
    await page.browserContext().close();
  });

  it('of a film has a spot by the pointer and by keys, which is shown at its time', async () => {
    const page = await visit(teaser);
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2);
    const spot = async (): Promise<(number | string)[]> =>
      page.$$eval('.write input:is([name="x"], [name="y"], [name="start"])', (fields) =>
        fields.map(({ name, value }) => (name === 'start' ? value : Number(value))),
      );
    const goTo = (seconds: number): Promise<void> =>
      page.$eval(
        'video',
        (video, at) => {
          video.currentTime = at;
        },
        seconds,
      );
    await goTo(1.5);
    await page.focus('button.point');
    await page.keyboard.press('Enter');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp'] as const) {
      await page.keyboard.press(key);
    }
    expect(await spot()).toEqual([0.54, 0.48, '0:01.500']);
    // The frame may be narrower than the player, whose sides stay black.
    const frameNow = (): Promise<Record<'x' | 'y' | 'wide' | 'high', number>> =>
      page.$eval('video', (video) => {
        const { left, top, width, height } = video.getBoundingClientRect();
        const scale = Math.min(width / video.videoWidth, height / video.videoHeight);
        const [wide, high] = [video.videoWidth * scale, video.videoHeight * scale];
        return { x: left + (width - wide) / 2, y: top + (height - high) / 2, wide, high };
      });
    const frame = await frameNow();
    await page.mouse.click(frame.x + frame.wide / 4, frame.y + frame.high / 4);
    const [x = 0, y = 0] = (await spot()).map((one) => Math.round(100 * Number(one)));
    expect([x, y]).toEqual([25, 25]);
    await write(page, 'Blur this');
    const pin = async (): Promise<{ x: number; y: number } | undefined> => {
      const found = await page.$('.film .pins g.now');
      const { x = 0, y = 0, width = 0, height = 0 } = (await found?.boundingBox()) ?? {};
      return found === null ? undefined : { x: x + width / 2, y: y + height / 2 };
    };
    const [shown, { x: left, y: top, wide, high }] = [await pin(), await frameNow()];
    expect(Math.abs((shown?.x ?? 0) - left - wide / 4)).toBeLessThan(3);
    expect(Math.abs((shown?.y ?? 0) - top - high / 4)).toBeLessThan(3);
    await pictures(page, 'spot-of-film');
    await page.setViewport({ width: 1280, height: 900 });
    await goTo(0);
    expect(await becomes(async () => (await pin()) === undefined)).toBe(true);
    await page.click('.comments a.place');
    expect(await becomes(async () => (await pin()) !== undefined)).toBe(true);
    await page.setBypassCSP(true);
    await page.reload();
    const visitor = new Visitor(page, service, new Translator('en'), axe);
    await visitor.look('spot of film');
    await visitor.look('spot of film');
    expect(visitor.faults).toEqual([]);
    await page.browserContext().close();
  });
});
