import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, type TestUser } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { NARROW, serveAxe } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';

/** More than one page of the list. */
const COUNT = 60;

/** Photos large, in the browser of a user. `IMG_60.jpg` is the first of the list. */
describe('the viewer', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let owner: TestUser;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    const workspaceId = await addWorkspace(service, 'Demo Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    await addPhotos(service, owner, workspaceId);
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('opens by a click and by Enter, and closes by Escape, Back and its button', async () => {
    const page = await signedIn('/photos');
    const closings: Readonly<Record<string, () => Promise<unknown>>> = {
      Escape: () => page.keyboard.press('Escape'),
      Back: () => page.goBack(),
      button: () => page.click('.viewer-close'),
    };
    for (const [name, close] of Object.entries(closings)) {
      if (name === 'Back') {
        await page.focus('[data-id="photo-59"] .picture');
        await page.keyboard.press('Enter');
      } else {
        await page.click('[data-id="photo-59"] .picture');
      }
      expect(await shows(page, 'IMG_59.jpg')).toBe(true);
      expect(new URL(page.url()).hash).toBe('#photo=photo-59');
      await close();
      expect([name, await isClosed(page)]).toEqual([name, true]);
      expect(await becomes(() => new URL(page.url()).hash === '')).toBe(true);
      expect(await becomes(async () => (await focused(page)) === 'photo-59')).toBe(true);
    }
    await page.close();
  });

  it('goes on by keys to photos that the list has not loaded yet, and back', async () => {
    const page = await signedIn('/photos');
    await page.click('[data-id="photo-60"] .picture');
    expect(await shows(page, 'IMG_60.jpg')).toBe(true);
    for (let number = 59; number >= 5; number -= 1) {
      await page.keyboard.press('ArrowRight');
      expect([number, await shows(page, `IMG_${number}.jpg`)]).toEqual([number, true]);
    }
    expect(await text(page, '.viewer-count')).toBe('56 of 60');
    expect(await becomes(() => new URL(page.url()).hash === '#photo=photo-5')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await isClosed(page)).toBe(true);
    // The list is at the photo that was shown last.
    expect(await becomes(async () => (await focused(page)) === 'photo-5')).toBe(true);
    const place = await page.$eval(
      '[data-id="photo-5"]',
      (item) => item.getBoundingClientRect().top,
    );
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(800);
    await page.close();
  });

  it('follows keys and the way back that come while it opens', async () => {
    const page = await signedIn('/photos');
    const open = (): Promise<void> => page.click('[data-id="photo-60"] .picture');
    await open();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    expect(await shows(page, 'IMG_59.jpg')).toBe(true);
    const closings = [
      () => page.keyboard.press('Escape'),
      () => page.evaluate(() => history.back()),
      async () => {
        await page.waitForSelector('.pswp--ui-visible');
        await page.click('.viewer-close');
      },
    ];
    await page.keyboard.press('Escape');
    for (const close of closings) {
      // The address first: the viewer is not there before it opens, either.
      expect(await becomes(() => new URL(page.url()).hash === '')).toBe(true);
      expect(await isClosed(page)).toBe(true);
      await open();
      await close();
    }
    expect(await isClosed(page)).toBe(true);
    await page.close();
  });

  it('opens again after a reload, by an address, and behind the first page', async () => {
    const page = await signedIn('/photos');
    for (const number of [58, 3]) {
      await page.goto('about:blank');
      await page.goto(`${service.baseUrl}/photos#photo=photo-${number}`);
      expect(await shows(page, `IMG_${number}.jpg`)).toBe(true);
      await page.reload();
      expect(await shows(page, `IMG_${number}.jpg`)).toBe(true);
      await page.keyboard.press('Escape');
      expect(await isClosed(page)).toBe(true);
      expect(new URL(page.url()).hash).toBe('');
    }
    await page.goto('about:blank');
    await page.goto(`${service.baseUrl}/photos#photo=unknown`);
    expect(await becomes(() => new URL(page.url()).hash === '')).toBe(true);
    expect(await isClosed(page)).toBe(true);
    await page.close();
  });

  it('zooms to one pixel for one, downloads, and leads to the details', async () => {
    const page = await signedIn('/photos');
    await page.click('[data-id="photo-59"] .picture');
    expect(await shows(page, 'IMG_59.jpg')).toBe(true);
    const width = (): Promise<number> =>
      page.$$eval(
        '.pswp__item[aria-hidden="false"] .pswp__img:not(.pswp__img--placeholder)',
        ([picture]) => picture?.getBoundingClientRect().width ?? Infinity,
      );
    expect(await becomes(async () => (await width()) < 1280)).toBe(true);
    await page.click('.viewer-zoom');
    expect(await becomes(async () => Math.round(await width()) === 2048)).toBe(true);
    expect(await becomes(async () => (await pressed(page)) === 'true')).toBe(true);
    await page.click('.viewer-zoom');
    expect(await becomes(async () => (await width()) < 1280)).toBe(true);
    expect(await becomes(async () => (await pressed(page)) === 'false')).toBe(true);
    const links = await page.$$eval('.viewer-bar a', (found) => found.map(({ href }) => href));
    expect(links).toEqual([
      `${service.baseUrl}/photos/photo-59`,
      `${service.baseUrl}/photos/photo-59/file`,
    ]);
    await Promise.all([page.waitForNavigation(), page.click('.viewer-page')]);
    expect(new URL(page.url()).pathname).toBe('/photos/photo-59');
    await page.close();
  });

  it('has a film strip in a wide window, which leaves the focus where it is', async () => {
    const page = await signedIn('/photos');
    await page.click('[data-id="photo-60"] .picture');
    expect(await shows(page, 'IMG_60.jpg')).toBe(true);
    const current = (): Promise<number> =>
      page.$eval('.viewer-strip img.current', (one) => Number(one.dataset['index']));
    expect(await current()).toBe(0);
    await page.click('.viewer-strip [data-index="15"]');
    expect(await shows(page, 'IMG_45.jpg')).toBe(true);
    expect(await current()).toBe(15);
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('pswp ');
    await page.keyboard.press('ArrowRight');
    expect(await shows(page, 'IMG_44.jpg')).toBe(true);
    // The photo that is shown moves to the middle.
    const middle = (): Promise<number> =>
      page.$eval('.viewer-strip .current', (one) => {
        const { left, width } = one.getBoundingClientRect();
        return Math.abs(left + width / 2 - innerWidth / 2);
      });
    expect(await becomes(async () => (await middle()) < 2)).toBe(true);
    await page.keyboard.press('z');
    await page.waitForSelector('.viewer-strip', { hidden: true });
    await page.keyboard.press('z');
    await page.waitForSelector('.viewer-strip', { visible: true });
    await page.setViewport({ width: 800, height: 800 });
    await page.waitForSelector('.viewer-strip', { hidden: true });
    await page.close();
  });

  it('swipes', async () => {
    const page = await signedIn('/photos');
    await page.setViewport({ ...NARROW, hasTouch: true, isMobile: true });
    await page.reload();
    await page.tap('[data-id="photo-59"] .picture');
    expect(await shows(page, 'IMG_59.jpg')).toBe(true);
    // It takes the focus when it is open, and follows fingers from then on.
    await page.waitForSelector('.pswp:focus');
    for (const [from, to, name] of [
      [300, 40, 'IMG_58.jpg'],
      [40, 300, 'IMG_59.jpg'],
    ] as const) {
      const touch = await page.touchscreen.touchStart(from, 300);
      for (let step = 1; step <= 8; step += 1) {
        await touch.move(from + ((to - from) * step) / 8, 300);
      }
      await touch.end();
      expect(await shows(page, name)).toBe(true);
    }
    await page.close();
  });

  it('has no fault for assistive technology', async () => {
    const axe = await serveAxe(cleanUp);
    const page = await signedIn('/photos');
    await page.setBypassCSP(true);
    await page.reload();
    await page.click('[data-id="photo-59"] .picture');
    expect(await shows(page, 'IMG_59.jpg')).toBe(true);
    await page.addScriptTag({ url: axe });
    const faults = await page.evaluate(async () => {
      const { axe: tool } = window as unknown as {
        axe: {
          run(where: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      const { violations } = await tool.run('.pswp');
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(faults).toEqual([]);
    expect(await page.$eval('.pswp', (dialog) => dialog.getAttribute('aria-label'))).toBe(
      'IMG_59.jpg',
    );
    await page.close();
  });

  it('is not needed: without scripts, a photo leads to those next to it and back', async () => {
    const page = await signedIn('/photos?sort=name', false);
    await Promise.all([page.waitForNavigation(), page.click('[data-id="photo-10"] .picture')]);
    const heading = (): Promise<string> => text(page, 'h1');
    expect(await heading()).toBe('IMG_10.jpg');
    await Promise.all([page.waitForNavigation(), page.click('.frame a[rel="next"]')]);
    expect(await heading()).toBe('IMG_11.jpg');
    await Promise.all([page.waitForNavigation(), page.click('.frame a[rel="prev"]')]);
    expect(await heading()).toBe('IMG_10.jpg');
    await Promise.all([page.waitForNavigation(), page.click('a.back')]);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('name');
    await page.close();
  });

  it('is left out for keys on the page of a photo, which lead to those next to it', async () => {
    const page = await signedIn('/photos/photo-30');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('ArrowRight')]);
    expect(await text(page, 'h1')).toBe('IMG_29.jpg');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('ArrowLeft')]);
    expect(await text(page, 'h1')).toBe('IMG_30.jpg');
    await page.close();
  });

  it('has a comparison beside it, whose divider keys move and whose pictures zoom together', async () => {
    const page = await signedIn('/photos/photo-30/compare?with=photo-30');
    await page.focus('.comparison input');
    const divider = (): Promise<string> =>
      page.$eval('.comparison', (found) => getComputedStyle(found).getPropertyValue('--divider'));
    const before = await divider();
    await page.keyboard.press('ArrowRight');
    expect(before).toContain('0.5');
    expect(await divider()).toContain('0.51');
    // Both pictures become larger and move together.
    const places = (): Promise<string[]> =>
      page.$$eval('.comparison img', (images) =>
        images.map((image) => {
          const { left, top, width } = image.getBoundingClientRect();
          return [left, top, width].map(Math.round).join();
        }),
      );
    const whole = await places();
    const seen = new Set(whole);
    const [x, y] = await page.$eval('.comparison input', (one) => {
      const { left, top } = one.getBoundingClientRect();
      return [left, top] as const;
    });
    await page.mouse.move(x + 100, y + 100);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => page.keyboard.press('+'),
      () => page.mouse.wheel({ deltaY: -400 }),
      async () => {
        await page.mouse.down();
        await page.mouse.move(x + 60, y + 60, { steps: 3 });
        await page.mouse.up();
      },
      () => page.click('[data-zoom="out"]'),
    ];
    for (const [index, change] of changes.entries()) {
      await change();
      expect(await becomes(async () => !seen.has((await places())[0] ?? ''))).toBe(true);
      const [one = '', other] = await places();
      expect([index, one]).toEqual([index, other]);
      seen.add(one);
    }
    await page.keyboard.press('0');
    expect(await becomes(async () => (await places()).join() === whole.join())).toBe(true);
    await page.close();
  });

  /** A page of the signed-in owner. */
  async function signedIn(path: string, hasScripts = true): Promise<Page> {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(hasScripts);
    await page.goto(service.baseUrl + path);
    if (new URL(page.url()).pathname === '/settings/sign-in') {
      await page.type('input[name="username"]', owner.username);
      await page.type('input[name="password"]', owner.password);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    }
    return page;
  }
});

function text(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (found) => found.textContent.trim());
}

/** Whether the viewer shows this photo, and has opened completely. */
function shows(page: Page, name: string): Promise<boolean> {
  return becomes(() =>
    page.evaluate((wanted) => {
      const bar = document.querySelector('.pswp--ui-visible .viewer-bar');
      const shown = bar?.querySelector('.viewer-name')?.textContent;
      return shown === wanted && bar !== null && getComputedStyle(bar).opacity === '1';
    }, name),
  );
}

function isClosed(page: Page): Promise<boolean> {
  return becomes(async () => (await page.$('.pswp')) === null);
}

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(
    () => document.activeElement?.closest<HTMLElement>('li[data-id]')?.dataset['id'],
  );
}

function pressed(page: Page): Promise<string | null> {
  return page.$eval('.viewer-zoom', (button) => button.getAttribute('aria-pressed'));
}

/** Photos with a preview of 2048 × 1365 pixels. */
async function addPhotos(
  { database }: TestService,
  { accountId }: TestUser,
  workspaceId: string,
): Promise<void> {
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256,
                          width, height, preview_width, preview_height, preview_version, taken_at, search_text)
     SELECT 'photo-' || n, $1, $2, 8400000, 'IMG_' || n || '.jpg', 'image/jpeg', '{}', now(),
            timestamptz '2026-01-31 23:30Z', repeat('a', 64), 6000, 4000, 2048, 1365, 1,
            timestamptz '2025-06-10 12:00Z' + n * interval '1 minute', 'img_' || n || '.jpg'
       FROM generate_series(1, ${COUNT}) AS n`,
    [accountId, workspaceId],
  );
  await database.query(`UPDATE thumbnails SET state = 'failed', lease_until = NULL`);
}
