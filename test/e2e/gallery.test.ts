import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page, Protocol } from 'puppeteer-core';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, type TestUser } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';

const COUNT = 230;

/** The gallery in the browser of a user, with and without its script. */
describe('the gallery', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;
  let owner: TestUser;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    const workspaceId = await addWorkspace(service, 'Demo Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    await addPhotos(service, owner, workspaceId);
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('loads the whole list while scrolling, and nothing moves', async () => {
    const page = await signedIn('/photos');
    // Each page arrives when the reader is at the end of the one before.
    await page.evaluateOnNewDocument(() => {
      const toggle = Reflect.get(DOMTokenList.prototype, 'toggle') as (...a: unknown[]) => boolean;
      let drawn = 0;
      DOMTokenList.prototype.toggle = function (name, force) {
        drawn += name === 'selected' ? 1 : 0;
        document.documentElement.dataset['drawn'] = String(drawn);
        return Reflect.apply(toggle, this, [name, force]);
      };
      const load = window.fetch;
      window.fetch = async (...request) => {
        while (scrollY + innerHeight < document.documentElement.scrollHeight - 1)
          await new Promise(requestAnimationFrame);
        return load(...request);
      };
    });
    await page.reload();
    await page.evaluate(() => {
      new PerformanceObserver((list) => {
        document.body.dataset['shifts'] = JSON.stringify(list.getEntries());
      }).observe({ type: 'layout-shift', buffered: true });
      // A photo of the last row is visible in the frame after the one in which its size changed.
      const widths = new Map<Element, number>();
      const follow = (): void => {
        for (const item of document.querySelectorAll('.photos > li[data-id]')) {
          const { width } = item.getBoundingClientRect();
          const isVisible = !item.classList.contains('last-row');
          if (isVisible && width !== (widths.get(item) ?? width))
            document.body.dataset['shifts'] = item.outerHTML;
          widths.set(item, width);
        }
        requestAnimationFrame(follow);
      };
      follow();
    });
    await scrollToLast(page);
    const shown = await names(page);
    expect(shown).toEqual(all());
    // No page is a reason to draw the photos of earlier pages again.
    expect(await page.evaluate(() => document.documentElement.dataset['drawn'])).toBe(
      String(all().length),
    );
    // Months of earlier pages do not begin again.
    const months = await page.$$eval('.photos h2', (found) => found.map((one) => one.textContent));
    expect(months).toHaveLength(new Set(months).size);
    expect(months.length).toBeGreaterThan(3);
    expect(await page.evaluate(() => document.body.dataset['shifts'])).toBeUndefined();
    expect(new URL(page.url()).search).toBe('');

    // All but the last row of a month are as wide as the list, and no picture is cut.
    const rows = await page.$$eval('.photos li[data-id]', (items) => {
      const list = document.querySelector('.photos')?.getBoundingClientRect();
      const ends = new Map<number, number>();
      const shapes: number[] = [];
      for (const item of items) {
        const { top, right, width, height } = item.getBoundingClientRect();
        ends.set(Math.round(top), Math.max(ends.get(Math.round(top)) ?? 0, right));
        const { width: w = '1', height: h = '1' } = item.dataset;
        shapes.push(width / height / (Number(w) / Number(h)));
      }
      const full = [...ends.values()].filter((right) => Math.abs(right - (list?.right ?? 0)) < 1);
      return { rows: ends.size, full: full.length, shapes };
    });
    expect(rows.rows - rows.full).toBeLessThanOrEqual(months.length);
    for (const shape of rows.shapes) expect(Math.abs(shape - 1)).toBeLessThan(0.02);

    // A group is as high as its rows, so that nothing moves when it is made.
    const heights = await page.$eval('.photos', (list) => {
      const groups = [...list.querySelectorAll<HTMLElement>(':scope > .group')];
      for (const group of groups) group.style.contentVisibility = 'visible';
      const grouped = list.clientHeight;
      for (const group of groups) group.replaceWith(...(group.firstElementChild?.children ?? []));
      return [grouped, list.clientHeight];
    });
    expect(heights[0]).toBe(heights[1]);

    // The width of the window changes the rows, and no photo gets lost.
    await page.setViewport({ width: 700, height: 800 });
    expect(await names(page)).toEqual(all());

    // The viewer also opens from photos that are far up.
    await page.$eval('.photos > .group a.picture', (picture) => (picture as HTMLElement).click());
    await page.waitForSelector('.pswp--open');
    await page.close();
  });

  it('loads the pictures where a fast reader stops, and few on the way', async () => {
    const page = await signedIn('/photos');
    // Many windows to each page, so that the reader seldom waits for the next one.
    await page.setViewport({ width: 375, height: 300 });
    const loaded = new Set<string>();
    page.on('request', (request) => {
      const [, id] = /\/(photo-\d+)\/thumbnail/.exec(request.url()) ?? [];
      if (id !== undefined) loaded.add(id);
    });
    await page.reload();
    await scrollToLast(page);
    await page.evaluate(() => {
      scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    });
    expect(await becomes(() => Promise.resolve(loaded.has('photo-1')))).toBe(true);
    expect(loaded.size).toBeLessThan(0.7 * COUNT);
    // Each photo has one name, with its picture and without it.
    const called = await page.$$eval('.photos a.picture', (links) =>
      links.flatMap((link) => [link.ariaLabel, link.querySelector('img')?.alt]),
    );
    expect(called.filter((name) => typeof name === 'string')).toEqual(all());
    // Those of the last row alone are marked, in the frame after the last page.
    const rows = (): Promise<number> =>
      page.$$eval(
        '.photos > li.last-row',
        (items) => new Set(items.map((one) => one.getBoundingClientRect().top)).size,
      );
    expect(await becomes(async () => (await rows()) === 1)).toBe(true);
    // What was passed is far from the window, also after the list is complete.
    const held = '.photos a.picture[data-image]';
    expect((await page.$$(held)).length).toBeGreaterThan(0.3 * COUNT);
    // On the way back the list does not grow. Pictures load there, too.
    const back = await page.$eval(held, (link) => {
      link.scrollIntoView({ block: 'center', behavior: 'instant' });
      return link.closest('li')?.dataset['id'] ?? '';
    });
    await page.waitForSelector(`.photos li[data-id="${back}"] img`);
    expect((await page.$$(held)).length).toBeGreaterThan(0.3 * COUNT - 40);
    await page.close();
  });

  it('has at most eight nodes for a photo whose picture does not load yet', async () => {
    const page = await signedIn('/photos');
    await page.setViewport({ width: 375, height: 300 });
    await scrollToLast(page);
    const client = await page.createCDPSession();
    // Those that scripts do not see count as well: pseudo-elements, and what the browser itself adds.
    await client.send('DOM.enable', { includeWhitespace: 'all' });
    const { root } = await client.send('DOM.getDocument', { depth: -1, pierce: true });
    const photos = allWithin(root).filter(
      ({ nodeName, attributes }) => nodeName === 'LI' && attributes?.includes('data-id') === true,
    );
    const held = photos
      .map(allWithin)
      .find((nodes) => nodes.every(({ nodeName }) => nodeName !== 'IMG'));
    // Those further down show their project, too.
    expect(held?.length).toBeLessThanOrEqual(8);
    await page.close();
  });

  it('does not move while it arrives over a slow line', async () => {
    const page = await signedIn('/photos');
    await page.evaluateOnNewDocument(() => {
      new PerformanceObserver((list) => {
        const shifts = list.getEntries().map(({ startTime }) => Math.round(startTime));
        document.documentElement.dataset['shifts'] = shifts.join(' ');
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.emulateNetworkConditions({ download: 60_000, upload: -1, latency: 5 });
    await page.reload();
    await page.waitForSelector('.photos [data-id]', { visible: true });
    expect(await page.evaluate(() => document.documentElement.dataset['shifts'])).toBeUndefined();
    await page.close();
  });

  it('comes back from a photo to the same place', async () => {
    const page = await signedIn('/photos');
    // The reader leaves in the frame in which the first photos of the third page are there.
    const left = page.waitForNavigation();
    await page.evaluate(() => {
      const step = (): void => {
        scrollBy({ top: innerHeight, behavior: 'instant' });
        if (document.querySelectorAll('.photos li[data-id]').length > 100) {
          sessionStorage.setItem('before', String(scrollY));
          location.assign('/photos/trash');
        } else {
          requestAnimationFrame(step);
        }
      };
      step();
    });
    await left;
    await page.goBack();
    expect(await becomes(async () => (await names(page)).length > 120)).toBe(true);
    const before = await page.evaluate(() => Number(sessionStorage.getItem('before')));
    expect(before).toBeGreaterThan(3000);
    expect(await becomes(() => page.evaluate((top) => scrollY === top, before))).toBe(true);
    await page.close();
  });

  it('searches while typing, and keeps the focus', async () => {
    const page = await signedIn('/photos');
    await page.type('input[name="q"]', 'img_0012 canon');
    // The first word alone finds the photo, too.
    expect(await becomes(() => Promise.resolve(page.url().includes('q=img_0012+canon')))).toBe(
      true,
    );
    expect(await becomes(async () => (await names(page)).join() === 'IMG_0012.jpg')).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q');
    await page.type('input[name="q"]', ' nothing');
    await page.waitForFunction(() => document.body.innerText.includes('No files match.'));
    await page.$eval('input[name="q"]', (field) => {
      field.value = '';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    expect(await becomes(async () => (await names(page)).length >= 50)).toBe(true);
    await page.close();
  });

  it('shows pictures as they are made, and reports photos that have arrived', async () => {
    const { database } = service;
    await database.query(
      `UPDATE thumbnails SET state = 'none', lease_until = now() + interval '1 hour' WHERE upload_id = 'photo-230'`,
    );
    const page = await signedIn('/photos');
    const waiting = 'li[data-id="photo-230"][data-waiting]';
    expect(await page.$(waiting)).not.toBeNull();
    await database.query(
      `UPDATE uploads SET preview_width = 600, preview_height = 340, preview_bytes = 1, preview_version = 1
        WHERE id = 'photo-230'`,
    );
    await database.query(`UPDATE thumbnails SET state = 'failed' WHERE upload_id = 'photo-230'`);
    await database.query(
      `UPDATE uploads SET trashed_at = NULL, taken_at = now() WHERE id = 'photo-late'`,
    );
    await page.waitForSelector(waiting, { hidden: true });
    expect(
      await page.$eval('li[data-id="photo-230"] img', (image) => image.getAttribute('src')),
    ).toMatch(/\?v=1$/);
    const button = await page.waitForSelector('.news button');
    await Promise.all([page.waitForNavigation(), button?.click()]);
    expect((await names(page))[0]).toBe('IMG_late.jpg');
    await database.query(`UPDATE uploads SET trashed_at = now() WHERE id = 'photo-late'`);
    await page.close();
  });

  it('shows times in the time zone of the reader', async () => {
    const page = await signedIn('/projects');
    await service.database.query(`UPDATE projects SET created_at = now() WHERE id = 'empty'`);
    const timesIn = async (zone: string): Promise<string[]> => {
      await page.emulateTimezone(zone);
      await page.reload();
      await page.waitForSelector('.projects time[title]');
      return page.$$eval('.projects time', (found) => found.map((one) => one.textContent));
    };
    // The project with photos was changed at 23:30 UTC on the last day of January.
    expect((await timesIn('Asia/Tokyo')).at(-1)).toBe('Feb 1, 2026, 08:30');
    expect((await timesIn('America/New_York')).at(-1)).toBe('Jan 31, 2026, 18:30');
    expect((await timesIn('UTC'))[0]).toMatch(/^(today|yesterday) \d\d:\d\d$/);
    await page.close();
  });

  it('works without scripts', async () => {
    const page = await signedIn('/photos', false);
    expect(await names(page)).toEqual(all().slice(0, 50));
    await Promise.all([page.waitForNavigation(), page.click('a[rel="next"]')]);
    expect(await names(page)).toEqual(all().slice(50, 100));
    await page.type('input[name="q"]', 'img_0012');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await names(page)).toEqual(['IMG_0012.jpg']);
    await page.click('.sort summary');
    await Promise.all([page.waitForNavigation(), page.click('.sort a[href*="sort=name"]')]);
    await page.click('.filter summary');
    await page.select('select[name="type"]', 'psd');
    await Promise.all([page.waitForNavigation(), page.click('.filter button')]);
    const { searchParams } = new URL(page.url());
    expect(['q', 'sort', 'type'].map((name) => searchParams.get(name))).toEqual([
      'img_0012',
      'name',
      'psd',
    ]);
    expect(await page.$eval('main', (main) => main.innerText)).toContain('No files match.');
    await page.click('.account summary');
    await Promise.all([page.waitForNavigation(), page.click('.account a[href*="account"]')]);
    expect(new URL(page.url()).pathname).toBe('/settings/account');
    await page.close();
  });

  it('shows who is signed in after somebody else has signed in', async () => {
    const context = await browser.createBrowserContext();
    const page = await signedIn('/photos', true, context);
    expect(await page.$('.good')).toBeNull();
    const mia = await addUser(service, {});
    await page.click('.account summary');
    await Promise.all([page.waitForNavigation(), page.click('.account form button')]);
    await signIn(page, mia);
    const name = `Person ${mia.username.slice(7)}`;
    expect(await page.$eval('.good', (box) => box.textContent.trim())).toBe(
      `You are now signed in as ${name}.`,
    );
    await page.reload();
    expect(await page.$('.good')).toBeNull();
    await context.close();
  });

  it('has no fault, wide and narrow, light and dark', async () => {
    const page = await signedIn('/photos');
    await page.setBypassCSP(true);
    const visitor = new Visitor(page, service, new Translator('en'), axe);
    for (const path of ['/photos', '/projects/coast', '/projects', '/photos?q=nobody&type=psd']) {
      await page.goto(service.baseUrl + path);
      await visitor.look(path);
    }
    // Over one photo: axe has gone over the list.
    for (const menu of ['.sort', '.filter', '.account']) {
      await page.goto(`${service.baseUrl}/photos?q=img_0012`);
      await page.click(`${menu} summary`);
      await visitor.look(menu);
    }
    expect(visitor.faults).toEqual([]);
    await page.close();
  });

  /** A page of the signed-in owner. */
  async function signedIn(
    path: string,
    hasScripts = true,
    context = browser.defaultBrowserContext(),
  ): Promise<Page> {
    const page = await context.newPage();
    await page.setJavaScriptEnabled(hasScripts);
    await page.goto(service.baseUrl + path);
    if (new URL(page.url()).pathname === '/settings/sign-in') await signIn(page, owner);
    return page;
  }
});

async function signIn(page: Page, { username, password }: TestUser): Promise<void> {
  await page.type('input[name="username"]', username);
  await page.type('input[name="password"]', password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

function all(): string[] {
  return Array.from(
    { length: COUNT },
    (_, index) => `IMG_${String(COUNT - index).padStart(4, '0')}.jpg`,
  );
}

function names(page: Page): Promise<string[]> {
  return page.$$eval('.photos li[data-id]', (items) =>
    items.map((item) => item.dataset['name'] ?? ''),
  );
}

/** A node and everything in it, with what only the browser sees. */
function allWithin(node: Protocol.DOM.Node): Protocol.DOM.Node[] {
  const { children = [], shadowRoots = [], pseudoElements = [] } = node;
  return [node, ...[...children, ...shadowRoots, ...pseudoElements].flatMap(allWithin)];
}

/** Scrolls to the last photo, in steps so small that what is in view stays in view. */
function scrollToLast(page: Page): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const step = (): void => {
          scrollBy({ top: innerHeight / 4, behavior: 'instant' });
          const isAtEnd = document.querySelectorAll('.photos li[data-id]').length === count;
          if (isAtEnd) {
            resolve();
          } else {
            requestAnimationFrame(step);
          }
        };
        step();
      }),
    COUNT,
  );
}

/** Photos of several shapes, a day's half between two, in one project and in none. */
async function addPhotos(
  { database }: TestService,
  { accountId }: TestUser,
  workspaceId: string,
): Promise<void> {
  await database.query(
    `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
     SELECT id, $1, id, $2, timestamptz '2025-01-01' FROM unnest(ARRAY['coast', 'empty']) AS made (id)`,
    [workspaceId, accountId],
  );
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256,
                          width, height, project_id, taken_at, search_text)
     SELECT 'photo-' || n, $1, $2, 8400000, name, 'image/jpeg', '{}', now(), timestamptz '2026-01-31 23:30Z',
            repeat('a', 64), CASE n % 3 WHEN 0 THEN 4000 ELSE 6000 END, CASE n % 3 WHEN 0 THEN 6000 ELSE 4000 - n % 3 * 300 END,
            CASE WHEN n <= 60 THEN 'coast' END, timestamptz '2025-06-10 12:00Z' + n * interval '12 hours',
            lower(name) || ' canon eos r5'
       FROM (SELECT n, 'IMG_' || lpad(n::text, 4, '0') || '.jpg' AS name FROM generate_series(1, ${COUNT}) AS n) AS made`,
    [accountId, workspaceId],
  );
  // In the trash until a test takes it out.
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256, trashed_at)
     SELECT 'photo-late', account_id, workspace_id, size, 'IMG_late.jpg', type, '{}', now(), now(), sha256, now()
       FROM uploads WHERE id = 'photo-1'`,
  );
  await database.query(`UPDATE thumbnails SET state = 'failed', lease_until = NULL`);
}
