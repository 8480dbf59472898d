import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send, type TestUser } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';
import { makeSmallPhotos } from './photos.js';
import { screenshot } from './screenshot.js';

/** The least width and height of what a thumb presses, in CSS pixels. */
const THUMB = 44;

/** A studio that reads what guests said, and a guest who goes through the pictures by keys. */
describe('feedback, in browsers', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let owner: TestUser;
  let link: string;
  let shareId: string;
  const ids: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    const workspaceId = await addWorkspace(service, 'Demo Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    const page = await browser.newPage();
    for (const [index, bytes] of (await makeSmallPhotos(page, 3)).entries()) {
      ids.push(await send(service, token, `LH5_${index}.jpg`, new Uint8Array(bytes)));
    }
    await page.close();
    const project = await service.database.query<{ id: string }>(
      `INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('coast', $1, 'Coast', now()) RETURNING id`,
      [workspaceId],
    );
    await service.database.query('UPDATE uploads SET project_id = $1', [project[0]?.id ?? '']);
    expect(
      await becomes(async () => {
        const sql = 'SELECT 1 FROM uploads WHERE preview_width IS NOT NULL';
        return (await service.database.query(sql)).length === 3;
      }),
    ).toBe(true);
    link = await shareAs(service, owner, { project: 'coast' });
    shareId = (await service.database.query<{ id: string }>('SELECT id FROM shares'))[0]?.id ?? '';
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  const visit = async (path: string, isPhone: boolean, hasScript = true): Promise<Page> => {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setJavaScriptEnabled(hasScript);
    await page.setViewport(
      isPhone
        ? { width: 375, height: 812, isMobile: true, hasTouch: true }
        : { width: 1280, height: 900 },
    );
    await page.goto(service.baseUrl + path);
    return page;
  };
  const visitAsOwner = async (path: string, isPhone: boolean, hasScript = true): Promise<Page> => {
    const page = await visit(path, isPhone, hasScript);
    await page.type('input[name="username"]', owner.username);
    await page.type('input[name="password"]', owner.password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    return page;
  };
  const pictures = async (page: Page, name: string): Promise<void> => {
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await screenshot(page, `${name}-${scheme}`);
    }
  };
  /** A comment at a spot of the first file, and one on the second. Gives their ids. */
  const comment = async (): Promise<string> => {
    const id = `comment-${(serial += 1)}`;
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256,
                                  comment, pin_x, pin_y, created_at)
       SELECT given.id, $1, uploads.id, 'comment', 'guest', 'Anna', uploads.id, 1, sha256, text, spot, spot, now()
         FROM (VALUES ($2, $4, 'Please remove the sign on the left.', 0.25::float),
                      ($3, $5, 'Darker, please', NULL)) AS given (id, upload, text, spot)
         JOIN uploads ON uploads.id = given.upload`,
      [shareId, id, `${id}-b`, ids[0] ?? '', ids[1] ?? ''],
    );
    return id;
  };
  let serial = 0;

  it('is given by keys, from picture to picture', async () => {
    const page = await visit(link, false);
    await page.click('.photos li:nth-child(1) .picture');
    await page.waitForSelector('.pswp--ui-visible .heart');
    await page.keyboard.press('p');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Mia 5');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.viewer .heart[aria-pressed="true"]');
    const first = await page.$eval('.viewer .heart', (heart) => heart.getAttribute('value') ?? '');
    const marks = async (): Promise<string[]> => {
      const rows = await service.database.query<{ mark: string }>(
        `SELECT kind || COALESCE(value::text, '') || CASE photo_id WHEN $1 THEN '' ELSE ' on the next' END AS mark
           FROM share_answers WHERE guest_name = 'Mia 5' ORDER BY 1`,
        [first],
      );
      return rows.map(({ mark }) => mark);
    };
    const become = async (expected: readonly string[]): Promise<void> => {
      await becomes(async () => (await marks()).join() === expected.join());
      expect(await marks()).toEqual(expected);
    };
    await page.keyboard.press('4');
    await become(['favourite', 'stars4']);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.viewer .heart[aria-pressed="false"]');
    await page.keyboard.press('2');
    await become(['favourite', 'stars2 on the next', 'stars4']);
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('.viewer .heart[aria-pressed="true"]');
    await page.keyboard.press('0');
    await become(['favourite', 'stars2 on the next']);
    await page.keyboard.press('x');
    await become(['stars2 on the next']);
    for (const count of ['1', '3', '5'] as const) {
      await page.keyboard.press(count);
      await become([`stars${count}`, 'stars2 on the next'].sort());
    }
    await page.browserContext().close();
  });

  it('is not given by the keys of a comment, nor by those of the browser', async () => {
    const page = await visit(link, false);
    const sent: Promise<string | undefined>[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.fetchPostData());
    });
    await page.click('.photos li:nth-child(1) .picture');
    await page.waitForSelector('.pswp--ui-visible .heart');
    for (const modifier of ['Control', 'Alt', 'Meta'] as const) {
      await page.keyboard.down(modifier);
      await page.keyboard.press('5');
      await page.keyboard.up(modifier);
    }
    await page.click('.viewer .talk');
    await page.waitForSelector('.answer-sheet button:focus');
    await page.type('.answer-sheet textarea', 'px 35');
    await page.click('.answer-sheet [name="comment"]');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Mia 6');
    await page.keyboard.press('Enter');
    await commentShown(page, 'px 35');
    // The viewer has opened now: it gets its keys on another way.
    await page.type('.answer-sheet textarea', 'x 4');
    await page.click('.answer-sheet [name="comment"]');
    await commentShown(page, 'x 4');
    const texts = (await Promise.all(sent)).map((fields) =>
      new URLSearchParams(fields).get('text'),
    );
    expect(texts).toEqual(['px 35', 'px 35', 'x 4']);
    await page.browserContext().close();
  });

  it('leaves a comment that the guest is writing as it is', async () => {
    const page = await visit(link, false);
    await page.click('.photos li:nth-child(1) .picture');
    await page.waitForSelector('.pswp--ui-visible .heart');
    await page.click('.viewer .talk');
    await page.waitForSelector('.answer-sheet button:focus');
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (request.method() === 'POST') held.push(request);
      else void request.continue();
    });
    const nextIsHeld = () => becomes(() => held.length > 0);
    const written = () =>
      page.$eval('.answer-sheet textarea', (field) => [
        field.value,
        field === document.activeElement && field.selectionStart,
      ]);

    // Without a name, the first answer brings up the question for it.
    await page.click('.answer-sheet [name="approve"]');
    expect(await nextIsHeld()).toBe(true);
    await held.pop()?.continue();
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Lea 7');
    await page.keyboard.press('Enter');
    expect(await nextIsHeld()).toBe(true);

    // Marks come back while the guest writes, with a spot and the caret in the middle.
    await page.click('.answer-sheet .point');
    const picture = '.pswp__item[aria-hidden="false"] .pswp__img:not(.pswp__img--placeholder)';
    await (await page.waitForSelector(picture, { visible: true }))?.click();
    await page.type('.answer-sheet textarea', 'Softer');
    await page.keyboard.press('ArrowLeft');
    await held.pop()?.continue();
    await page.waitForSelector('.answer-sheet [name="unapprove"]');
    expect(await written()).toEqual(['Softer', 5]);
    expect(await page.$$eval('.new-pin', (pins) => pins.length)).toBe(1);

    // A comment is under way while the guest goes on, and gives stars.
    await page.click('.answer-sheet [name="comment"]');
    expect(await nextIsHeld()).toBe(true);
    await page.focus('.answer-sheet textarea');
    await page.keyboard.down('Control');
    await page.keyboard.press('End');
    await page.keyboard.up('Control');
    await page.keyboard.type(' Warmer');
    await page.click('.answer-sheet [name="star3"]');
    const comment = held.pop();
    expect([held.length, await comment?.fetchPostData()]).toEqual([
      0,
      expect.stringContaining('text=Softer&'),
    ]);
    await comment?.continue();
    await commentShown(page, 'Softer');
    expect((await written())[0]).toBe('Warmer');
    expect(await page.$$eval('.new-pin', (pins) => pins.length)).toBe(0);
    expect(await nextIsHeld()).toBe(true);
    await held.pop()?.continue();
    await page.waitForSelector('.answer-sheet [name="unstar"]');

    // It is there after another picture was shown, and after the sheet was closed.
    await page.click('.pswp__button--arrow--next');
    await page.waitForFunction(() => !document.querySelector('.answer-sheet [name="unstar"]'));
    expect((await written())[0]).toBe('');
    await page.click('.pswp__button--arrow--prev');
    await page.waitForSelector('.answer-sheet [name="unstar"]');
    expect((await written())[0]).toBe('Warmer');
    await page.click('.viewer .talk');
    await page.waitForFunction(() => !document.querySelector('.answer-sheet'));
    await page.click('.viewer .talk');
    await page.waitForSelector('.answer-sheet textarea');
    expect((await written())[0]).toBe('Warmer');
    await page.browserContext().close();
  });

  it('is that of the picture in the viewer, also when an earlier answer comes later', async () => {
    const page = await visit(link, false);
    await page.click('.photos li:nth-child(1) .picture');
    await page.waitForSelector('.pswp--ui-visible .heart');
    const shown = (): Promise<(string | undefined)[]> =>
      page.$$eval('.viewer .heart, .answer-sheet .answers', (found) =>
        found.map((one) => one.getAttribute('value') ?? one.getAttribute('data-photo') ?? ''),
      );
    const held: HTTPRequest[] = [];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isAnswers = request.headers()['accept'] === 'application/json';
      if (isAnswers && held.length === 0) held.push(request);
      else void request.continue();
    });
    await page.click('.viewer .talk');
    expect(await becomes(() => held.length > 0)).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.answer-sheet .answers');
    const [next = '', ...answers] = await shown();
    expect([held[0]?.url().includes(next), answers]).toEqual([false, [next]]);
    const late = page.waitForResponse((response) => response.request() === held[0]);
    await Promise.all([held[0]?.continue(), late.then((response) => response.text())]);
    expect(await shown()).toEqual([next, next]);
    await page.browserContext().close();
  });

  it('has file names that a press copies', async () => {
    await comment();
    const page = await visitAsOwner(`/shares/${shareId}/answers?answer=comment`, false);
    await page.evaluate(() => {
      navigator.clipboard.writeText = (text) => {
        document.body.dataset['copied'] = text;
        return Promise.resolve();
      };
    });
    await page.click('button.copy');
    await page.waitForFunction(
      () => document.querySelector('button.copy')?.textContent === 'Copied',
    );
    expect(await page.$eval('body', ({ dataset }) => dataset['copied'])).toBe('LH5_0, LH5_1');
    await page.browserContext().close();
  });

  it('has room for a thumb, in the viewer and on the page of a picture', async () => {
    await comment();
    const page = await visit(link, true);
    await page.tap('.photos li:nth-child(1) .picture');
    await page.waitForSelector('.viewer .talk');
    await page.tap('.viewer .talk');
    await page.waitForSelector('.answer-sheet .comments');
    expect(await smallTargets(page, '.viewer-bar, .answer-sheet, .pswp__button')).toEqual([]);
    await pictures(page, 'reviewing-viewer-375');
    await page.goto(`${service.baseUrl}${link}/photo?photo=${ids[0] ?? ''}`);
    expect(await smallTargets(page, '.answers, .large, .top')).toEqual([]);
    await pictures(page, 'reviewing-guest-375');
  });

  it.each([
    ['beside', false],
    ['below', true],
  ])('is %s the picture, and a press leads to its place', async (_, isPhone) => {
    const id = await comment();
    const page = await visitAsOwner(`/photos/${ids[0] ?? ''}`, isPhone);
    const [picture, list] = await Promise.all(
      ['.frame .picture img', '#answers'].map((selector) =>
        page.$eval(selector, (found) => found.getBoundingClientRect().toJSON() as DOMRect),
      ),
    );
    if (isPhone) {
      expect(list?.top).toBeGreaterThanOrEqual(picture?.bottom ?? Infinity);
    } else {
      expect(list?.left).toBeGreaterThanOrEqual(picture?.right ?? Infinity);
      expect(list?.top).toBeLessThan(picture?.bottom ?? 0);
    }
    expect(await smallTargets(page, isPhone ? '#answers' : 'nothing')).toEqual([]);
    await page.click(`a.place[href$="#pin-${id}"]`);
    await page.waitForSelector(`#pin-${id}:is(.pointed, :target)`);
    expect(await isInWindow(page, `#pin-${id}`)).toBe(true);
    await pictures(page, `reviewing-photo-${isPhone ? 375 : 1280}`);
  });

  it.each([
    [375, true],
    [1280, false],
  ])('is limited in a list without scripts, %d pixels wide', async (width, isPhone) => {
    const id = await comment();
    const page = await visitAsOwner(`/shares/${shareId}/answers`, isPhone, false);
    await pictures(page, `reviewing-answers-${width}`);
    await page.select('select[name="answer"]', 'comment');
    await page.select('select[name="guest"]', 'guest');
    await page.select('select[name="state"]', 'open');
    await Promise.all([page.waitForNavigation(), page.click('.answer-filter button')]);
    expect(new URL(page.url()).search).toBe('?answer=comment&guest=guest&state=open');
    expect(await page.$(`#comment-${id}`)).not.toBeNull();
    await pictures(page, `reviewing-filtered-${width}`);
    if (isPhone) {
      expect(await smallTargets(page, '.answer-filter, .exports, .comments')).toEqual([]);
    }
    await Promise.all([page.waitForNavigation(), page.click(`#comment-${id} .place`)]);
    expect(await page.$(`#pin-${id}:target`)).not.toBeNull();
    expect(await isInWindow(page, `#pin-${id}`)).toBe(true);
  });
});

/** Waits for a comment in the sheet of the viewer. */
async function commentShown(page: Page, comment: string): Promise<void> {
  await page.waitForFunction(
    (expected) =>
      [...document.querySelectorAll('.answer-sheet .comments .text')].some(
        (one) => one.textContent === expected,
      ),
    {},
    comment,
  );
}

/** What is too small for a thumb within some elements: visible links and controls. */
function smallTargets(page: Page, within: string): Promise<string[]> {
  return page.evaluate(
    (selector, least) =>
      [...document.querySelectorAll(selector)]
        .flatMap((root) => [root, ...root.querySelectorAll('*')])
        .filter((one) => one.matches('a[href], button, input, select, summary, textarea'))
        .filter((one) => !one.closest('[hidden], template, [aria-hidden="true"]'))
        .flatMap((one) => {
          const { width, height } = one.getBoundingClientRect();
          const isSmall = width > 0 && (Math.round(width) < least || Math.round(height) < least);
          return isSmall ? [`${one.outerHTML.slice(0, 90)} ${width}x${height}`] : [];
        }),
    within,
    THUMB,
  );
}

function isInWindow(page: Page, selector: string): Promise<boolean> {
  return page.$eval(selector, (found) => {
    const { top, bottom } = found.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
}
