import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, KeyInput, Page } from 'puppeteer-core';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { awaitText, clickButton } from './click.js';

const COUNT = 60;
const ON_PAGE = 50;

/** Selecting photos in the lists of the pages, in a browser. */
describe('selecting photos', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    page = await browser.newPage();
    await page.goto(`${service.baseUrl}/photos`);
    await page.type('input[name="username"]', service.demo.username);
    await page.type('input[name="password"]', service.demo.password);
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Sign in')]);
    await page.close();
  });
  afterAll(() => cleanUp.run());

  beforeEach(async () => {
    await service.database.query('DELETE FROM uploads');
    await service.database.query('DELETE FROM projects');
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256, taken_at, search_text, width, height)
       SELECT 'photo-' || n, account_id, workspace_id, 1000, 'LH5_' || (4300 + n) || '.jpg', 'image/jpeg', '{}',
              now() - n * interval '1 minute', now() - n * interval '1 minute', repeat('a', 64),
              now() - n * interval '1 minute', 'lh5_' || (4300 + n) || '.jpg', 6000, 4000
         FROM generate_series(1, $1::int) AS n, workspace_members
        WHERE role = 'owner'`,
      [COUNT],
    );
    // Pictures that are being made move all the time, which costs most of what a page does.
    await service.database.query(`UPDATE thumbnails SET state = 'failed', lease_until = NULL`);
    page = await browser.newPage();
    faults.length = 0;
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (line) => {
      if (line.type() === 'error' && !line.text().includes('404')) faults.push(line.text());
    });
  });
  afterEach(async () => {
    await page.close();
    expect(faults).toEqual([]);
  });

  const open = async (address = '/photos', hasScript = true): Promise<void> => {
    await page.setJavaScriptEnabled(hasScript);
    await page.goto(service.baseUrl + address);
  };
  const box = (n: number): string => `li[data-id="photo-${n}"] input[name=photo]`;
  const picture = (n: number): string => `li[data-id="photo-${n}"] a.picture`;
  const selected = (): Promise<number[]> =>
    page.$$eval('ul.photos input[type=checkbox]:checked', (all: HTMLInputElement[]) =>
      all.map((one) => Number(one.value.split('-')[1])),
    );
  const bar = (): Promise<string> =>
    page.$eval('.selection-bar', (element) =>
      (element as HTMLElement).hidden ? '' : (element.querySelector('.count')?.textContent ?? ''),
    );
  const inTrash = async (): Promise<number> =>
    (await service.database.query('SELECT 1 FROM uploads WHERE trashed_at IS NOT NULL')).length;
  const press = async (key: KeyInput, ...held: KeyInput[]): Promise<void> => {
    for (const one of held) await page.keyboard.down(one);
    await page.keyboard.press(key);
    for (const one of held) await page.keyboard.up(one);
  };
  const clickHeld = async (selector: string, key: KeyInput): Promise<void> => {
    await page.keyboard.down(key);
    await page.click(selector);
    await page.keyboard.up(key);
  };
  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('takes a click on the check mark, then on the pictures, and a range with Shift', async () => {
    await open();
    expect(await bar()).toBe('');
    await page.click(box(2));
    expect(await bar()).toBe('1 selected');
    // While something is selected, a click on a picture does not open it.
    await page.click(picture(4));
    expect(new URL(page.url()).pathname).toBe('/photos');
    expect(await selected()).toEqual([2, 4]);
    await clickHeld(picture(8), 'Shift');
    expect(await selected()).toEqual([2, ...range(4, 8)]);
    await page.click(picture(6));
    expect(await selected()).toEqual([2, 4, 5, 7, 8]);
    await clickHeld(box(9), 'Shift');
    expect(await selected()).toEqual([2, 4, 5, ...range(6, 9)]);
    await press('Escape');
    expect(await selected()).toEqual([]);
    expect(await bar()).toBe('');
  });

  it('works by keyboard, in the order of the page', async () => {
    await open();
    await page.focus(picture(1));
    await press('Space');
    expect(await selected()).toEqual([1]);
    await press('ArrowRight', 'Shift');
    await press('ArrowRight', 'Shift');
    expect(await selected()).toEqual([1, 2, 3]);
    await page.focus(picture(6));
    await press('Space', 'Shift');
    expect(await selected()).toEqual(range(1, 6));
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        const element = document.activeElement;
        return `${element?.closest('li')?.dataset['id'] ?? ''} ${element?.tagName ?? ''}`;
      });
    expect(await focused()).toBe('photo-6 A');
    await press('Tab');
    expect(await focused()).toBe('photo-6 INPUT');
    await press('Space');
    expect(await selected()).toEqual(range(1, 5));
    await press('a', 'Control');
    expect(await bar()).toBe('60 selected');
    await press('Escape');
    expect(await bar()).toBe('');
  });

  it('keeps its bar in sight, and the selection on other pages', async () => {
    await open();
    await page.click(box(1));
    const { bottom, top } = await page.$eval('.selection-bar', (element) => {
      const { bottom: y, top: t } = element.getBoundingClientRect();
      return { bottom: y, top: t };
    });
    expect(bottom).toBeLessThanOrEqual(800);
    expect(top).toBeGreaterThan(600);
    const next = await page.evaluate(async () => {
      const markup = await (await fetch('/photos')).text();
      const list = new DOMParser().parseFromString(markup, 'text/html').querySelector('ul.photos');
      return list?.getAttribute('data-next') ?? '';
    });
    await open(next);
    expect(await bar()).toBe('1 selected');
    await page.click(picture(55));
    await open();
    expect(await bar()).toBe('2 selected');
    expect(await selected()).toContain(1);
    await clickButton(page, 'Trash');
    await awaitText(page, '2 files moved to trash.');
    expect(await inTrash()).toBe(2);
    expect(await bar()).toBe('');
  });

  it.each([true, false])(
    'asks before files that are used in others go to the trash, with scripts: %s',
    async (hasScript) => {
      await service.database.query(`INSERT INTO placements VALUES ('photo-30', 'photo-1')`);
      await open('/photos', hasScript);
      await page.click(box(1));
      await page.click(box(2));
      const pressed = clickButton(page, 'Trash');
      await awaitText(page, 'LH5_4301.jpg in LH5_4330.jpg');
      await pressed;
      expect(await inTrash()).toBe(0);
      await clickButton(page, 'Move to trash');
      await awaitText(page, '2 files moved to trash.');
      expect(await inTrash()).toBe(2);
    },
  );

  it('stays at its place after an action, and Undo puts the photos back there', async () => {
    await open();
    await page.$eval(picture(40), (element) => element.scrollIntoView({ block: 'center' }));
    await page.hover(picture(40));
    await page.click(box(40));
    await clickHeld(box(41), 'Shift');
    const before = await page.evaluate(() => scrollY);
    await clickButton(page, 'Trash');
    await awaitText(page, '2 files moved to trash.');
    expect(await page.$(picture(40))).toBeNull();
    expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(300);
    expect(await inTrash()).toBe(2);
    await clickButton(page, 'Undo');
    await awaitText(page, '2 files restored.');
    expect(await inTrash()).toBe(0);
    const order = await page.$$eval('ul.photos > li[data-id]', (all) =>
      all.map((one) => (one as HTMLElement).dataset['id']),
    );
    expect(order).toEqual(range(1, order.length).map((n) => `photo-${n}`));
  });

  it('makes a project and moves 60 photos of two pages into it with four clicks', async () => {
    await open();
    await page.click('input[name=all]');
    expect(await bar()).toBe('60 selected');
    expect((await selected()).length).toBeGreaterThanOrEqual(ON_PAGE);
    await page.click('.selection-bar summary');
    await page.type('input[name=newProject]', 'Spring wedding');
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Create and move')]);
    await awaitText(page, '60 files moved to “Spring wedding”.');
    const moved = await service.database.query(
      'SELECT 1 FROM uploads WHERE project_id IS NOT NULL',
    );
    expect(moved).toHaveLength(COUNT);
  });

  it('of all photos leaves out those that are clicked again', async () => {
    await open();
    await page.click('input[name=all]');
    await page.click(picture(3));
    expect(await bar()).toBe('59 selected');
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Trash')]);
    await awaitText(page, '59 files moved to trash.');
    expect(await selected()).toEqual([]);
    expect(await bar()).toBe('');
    expect(await inTrash()).toBe(COUNT - 1);
  });

  it('restores ten photos of the trash with three clicks, and one with one', async () => {
    await service.database.query(
      `UPDATE uploads SET trashed_by = account_id,
              trashed_at = now() - substr(id, 7)::int * interval '1 minute'`,
    );
    await open('/photos/trash');
    await page.click(box(1));
    await clickHeld(box(10), 'Shift');
    await page.click('.selection-bar button[value=restore]');
    await awaitText(page, '10 files restored.');
    expect(await inTrash()).toBe(COUNT - 10);
    expect(new URL(page.url()).pathname).toBe('/photos/trash');
    await page.hover('li[data-id="photo-20"]');
    await page.click('li[data-id="photo-20"] button');
    await awaitText(page, '1 file restored.');
    expect(await page.$(picture(20))).toBeNull();
    expect(await inTrash()).toBe(COUNT - 11);
  });

  it('works without a script', async () => {
    await open('/photos', false);
    const height = await page.$eval(
      '.selection-bar',
      (bar_) => bar_.getBoundingClientRect().bottom,
    );
    expect(height).toBeLessThanOrEqual(800);
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Trash')]);
    await awaitText(page, 'Select at least one file.');
    await page.click(box(1));
    await page.click(box(2));
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Trash')]);
    await awaitText(page, '2 files moved to trash.');
    expect(await inTrash()).toBe(2);
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Undo')]);
    await awaitText(page, '2 files restored.');
    expect(await inTrash()).toBe(0);
    await page.click('input[name=all]');
    await page.click('.selection-bar summary');
    await Promise.all([page.waitForNavigation(), clickButton(page, 'No project')]);
    await awaitText(page, '60 files removed from their projects.');
  });
});
