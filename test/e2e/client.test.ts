import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { CsrfTokens } from '../../service/identity/csrf/csrf.js';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { ShareTable } from '../../service/delivery/shares/share-table.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { awaitText } from './click.js';
import { makeSmallPhotos } from './photos.js';

const PHONE = { width: 375, height: 812, isMobile: true, hasTouch: true };

/** A client with a link on a phone, with and without the script. */
describe('a client with a link', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;
  let link: string;
  /** A receipt of two of the photos, and the bytes of the first one. */
  let receipt: string;
  let photo: Uint8Array<ArrayBuffer>;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
    link = await shareFourPhotos();
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  const shareFourPhotos = async (): Promise<string> => {
    const workspaceId = await addWorkspace(service, 'Demo Studio');
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    const page = await browser.newPage();
    const ids: string[] = [];
    const photos = (await makeSmallPhotos(page, 4)).map((bytes) => new Uint8Array(bytes));
    for (const [index, bytes] of photos.entries())
      ids.push(await send(service, token, `LH5_${index}.jpg`, bytes));
    await page.close();
    photo = photos[0] ?? new Uint8Array();
    const answer = await fetch(`${service.baseUrl}/api/v1/receipts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ uploads: ids.slice(0, 2) }),
    });
    receipt = await answer.text();
    const shares = new ShareTable(service.database, new CsrfTokens('a test'), () => new Date());
    const made = await shares.create({
      workspaceId,
      creatorId: owner.accountId,
      target: { kind: 'photos', ids },
      days: 7,
      passwordHash: undefined,
    });
    if (typeof made !== 'object') throw new Error(made);
    return `${service.baseUrl}/s/${made.token}`;
  };

  /** A browser of somebody new, on the page of the link. */
  const visit = async (hasScript: boolean): Promise<Page> => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setBypassCSP(true);
    await page.setViewport(PHONE);
    await page.setJavaScriptEnabled(hasScript);
    await page.goto(link);
    return page;
  };

  const textOf = (page: Page): Promise<string> => page.$eval('main', (main) => main.innerText);

  it('marks favourites in place', async () => {
    const page = await visit(true);
    await page.click('.photos .heart');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Anna');
    await page.click('dialog .main');
    await page.waitForSelector('.heart[aria-pressed="true"]');
    expect(await page.$eval('.favourites .count', (one) => one.textContent)).toBe('1');
    await page.browserContext().close();
  });

  it('comments in the viewer', async () => {
    const page = await visit(true);
    await page.click('.photos a.picture');
    await page.waitForSelector('.pswp:focus');
    await page.click('.viewer-buttons .talk');
    await page.waitForSelector('.viewer-buttons .talk[aria-expanded="true"]');
    await page.waitForSelector('.pswp textarea', { visible: true });
    // Escape closes the sheet, and the photo stays.
    await page.focus('.pswp textarea');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.viewer-buttons .talk[aria-expanded="false"]:focus');
    expect(await page.$('.answer-sheet')).toBeNull();
    await page.browserContext().close();
  });

  it.each([
    ['the heart of a tile', (page: Page) => page.click('.photos .heart')],
    [
      'a key in the viewer',
      async (page: Page) => {
        await page.click('.photos a.picture');
        await page.waitForSelector('.pswp:focus');
        await page.keyboard.press('p');
      },
    ],
    [
      'the comments in the viewer',
      async (page: Page) => {
        await page.click('.photos a.picture');
        await page.waitForSelector('.pswp:focus');
        await page.click('.viewer-buttons .talk');
      },
    ],
  ])('sees that the link has ended when the service refuses, by %s', async (_, answer) => {
    const page = await visit(true);
    await service.database.query('UPDATE shares SET revoked_at = created_at');
    try {
      await answer(page);
      await awaitText(page, new Translator('en').t('shareRevokedTitle'));
    } finally {
      await service.database.query('UPDATE shares SET revoked_at = NULL');
      await page.browserContext().close();
    }
  });

  it('sends an answer by its form when something else answers the script', async () => {
    const page = await visit(true);
    await page.click('.photos .heart');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Carla');
    await page.click('dialog .main');
    await page.waitForSelector('.heart[aria-pressed="true"]');
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isOfScript = request.headers()['accept'] === 'application/json';
      void (isOfScript
        ? request.respond({ status: 502, contentType: 'text/html', body: '<p>A proxy</p>' })
        : request.continue());
    });
    await Promise.all([page.waitForNavigation(), page.click('.photos li:nth-child(2) .heart')]);
    expect(await page.$$('.heart[aria-pressed="true"]')).toHaveLength(2);
    await page.browserContext().close();
  });

  it('comments without a connection, and the comment is sent when there is one', async () => {
    const page = await visit(true);
    await page.click('.photos a.picture');
    await page.waitForSelector('.pswp:focus');
    await page.setOfflineMode(true);
    await page.click('.viewer-buttons .talk');
    await page.waitForSelector('.answer-sheet .no-connection', { visible: true });
    await page.type('.answer-sheet #comment', 'From the tunnel');
    const version = await page.$eval(
      '.answer-sheet [name="version"]',
      (field) => (field as HTMLInputElement).value,
    );
    expect(version).toBe(
      await page.$eval('.photos > li', (item) => (item as HTMLElement).dataset['id']),
    );
    // The next photo has a form for itself, and this one keeps what was typed.
    await page.focus('.viewer-close');
    for (const [key, text] of [
      ['ArrowRight', ''],
      ['ArrowLeft', 'From the tunnel'],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForFunction(
        (wanted) => {
          const heart = document.querySelector<HTMLButtonElement>('.viewer .heart');
          const send = document.querySelector<HTMLButtonElement>('.write [name="comment"]');
          const field = document.querySelector<HTMLTextAreaElement>('.write textarea');
          return field?.value === wanted && send?.value === heart?.value;
        },
        {},
        text,
      );
    }
    await page.click('.answer-sheet [name="comment"]');
    await page.waitForSelector('.toast.no-connection', { visible: true });
    expect(await page.$eval('#comment', (field) => (field as HTMLTextAreaElement).value)).toBe(
      'From the tunnel',
    );
    await page.setOfflineMode(false);
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Dora');
    await page.click('dialog .main');
    await awaitText(page, 'Dora');
    await page.waitForSelector('.answer-sheet .comments');
    expect(await page.$eval('.answer-sheet', (sheet) => sheet.textContent)).toContain(
      'From the tunnel',
    );
    expect(await page.$('.no-connection')).toBeNull();
    expect(await page.$eval('#comment', (field) => (field as HTMLTextAreaElement).value)).toBe('');
    await page.browserContext().close();
  });

  it('leaves the page with a comment that was not sent, and sends it with the next visit', async () => {
    const page = await visit(true);
    await page.click('.photos .heart');
    await page.waitForSelector('dialog[open]');
    await page.type('#name', 'Emil');
    await page.click('dialog .main');
    await page.waitForSelector('.heart[aria-pressed="true"]');
    await page.click('.photos li:nth-child(3) a.picture');
    await page.waitForSelector('.pswp:focus');
    await page.click('.viewer-buttons .talk');
    await page.waitForSelector('.answer-sheet #comment', { visible: true });
    await page.type('.answer-sheet #comment', 'Before the battery died');
    await page.setOfflineMode(true);
    await page.click('.answer-sheet [name="comment"]');
    await page.waitForSelector('.toast.no-connection', { visible: true });
    // Another page of the same browser, while the first one cannot send.
    const next = await page.browserContext().newPage();
    await next.goto(link);
    await next.waitForSelector('.photos li:nth-child(3) .has-comments');
    expect(await next.$('.photos li:nth-child(3) .is-approved')).toBeNull();
    await page.setOfflineMode(false);
    await page.waitForSelector('.answer-sheet .comments');
    const sql = `SELECT comment FROM share_answers WHERE guest_name = 'Emil' AND kind = 'comment'`;
    expect(await service.database.query(sql)).toEqual([{ comment: 'Before the battery died' }]);
    expect(await next.evaluate(() => localStorage.length)).toBe(0);
    await page.browserContext().close();
  });

  it('does the same without the script', async () => {
    const page = await visit(false);
    await Promise.all([page.waitForNavigation(), page.click('.photos .heart')]);
    await page.type('#name', 'Ben');
    await Promise.all([page.waitForNavigation(), page.click('button[type="submit"]')]);
    expect(await textOf(page)).toContain('4 files');
    expect(await page.$$('.heart[aria-pressed="true"]')).toHaveLength(1);
    await Promise.all([page.waitForNavigation(), page.click('.photos a.picture')]);
    await Promise.all([page.waitForNavigation(), page.click('.approve')]);
    expect(await textOf(page)).toContain('Approved by Ben');
    await page.type('textarea', 'Lovely');
    await Promise.all([page.waitForNavigation(), page.click('[name="comment"]')]);
    expect(await textOf(page)).toContain('Lovely');
    await Promise.all([page.waitForNavigation(), page.click('.beside.next')]);
    expect(await textOf(page)).toContain('LH5_1.jpg');
    await page.browserContext().close();
  });

  it('sees two columns of uncropped photos, and nothing beside the window', async () => {
    const page = await visit(true);
    const lefts = await page.$$eval('.photos > li', (items) => [
      ...new Set(items.map((item) => Math.round(item.getBoundingClientRect().left))),
    ]);
    expect(lefts).toHaveLength(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    // A link may have thousands of photos: this one has no marks, and nothing stands between its elements.
    const nodes = await page.$eval('.photos > li:nth-child(4)', (item) => {
      const walker = document.createTreeWalker(item);
      let count = 1;
      while (walker.nextNode() !== null) count += 1;
      return count;
    });
    expect(nodes).toBeLessThanOrEqual(9);
    await page.browserContext().close();
  });

  describe('with a receipt', () => {
    let folder: string;
    let page: Page;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'receipt-'));
      cleanUp.add(() => rm(folder, { recursive: true, force: true }));
    });
    beforeEach(async () => {
      page = await browser.newPage();
      await page.goto(`${service.baseUrl}/receipts/verify`);
    });
    afterEach(() => page.close());

    const choose = async (files: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
      const paths = await Promise.all(
        Object.entries(files).map(async ([name, content]) => {
          await writeFile(join(folder, name), content);
          return join(folder, name);
        }),
      );
      const input = await page.waitForSelector('.has-script .drop input');
      await input?.uploadFile(...paths);
    };
    const states = async (count: number): Promise<string[]> => {
      await page.waitForFunction(
        (wanted) => {
          const texts = [...document.querySelectorAll('.checked li')].map((row) => row.textContent);
          return texts.length === wanted && !texts.some((text) => text.includes('Checking'));
        },
        {},
        count,
      );
      return page.$$eval('.checked li', (rows) => rows.map((row) => row.innerText));
    };

    it('sees which files are unchanged, different and missing in it', async () => {
      const other = photo.slice();
      other[200] = (other[200] ?? 0) ^ 1;
      await choose({
        'renamed.jpg': photo,
        'lh5_1.JPG': other,
        'stranger.jpg': 'no photo',
        'receipt.jws': receipt,
      });

      const [renamed, changed, stranger] = await states(3);

      await page.waitForSelector('.verdict .good');
      expect(renamed).toMatch(/^renamed.jpg\s+Unchanged since today \d\d:\d\d$/);
      expect(changed).toMatch(/^lh5_1.JPG\s+Different from the receipt$/);
      expect(stranger).toMatch(/^stranger.jpg\s+Not in this receipt$/);
      const verdict = await page.$eval('.verdict', (one) => (one as HTMLElement).innerText);
      expect(verdict).toContain(`Signed by ${service.baseUrl}`);
      expect(verdict).toContain('Workspace Demo Studio, issued to');
      expect(verdict).toContain('that you have not added: 1');
    });

    it('sees that it was changed, and nothing of its content', async () => {
      const [header = '', payload = '', signature = ''] = receipt.split('.');
      const text = Buffer.from(payload, 'base64url').toString().replace('Demo Studio', 'My Studio');
      const forged = Buffer.from(text).toString('base64url');
      await choose({ 'receipt.jws': `${header}.${forged}.${signature}`, 'a.jpg': photo });

      await states(1);
      await page.waitForSelector('.verdict .problem');

      const shown = await page.$eval('main', (main) => main.innerText);
      expect(shown).toContain('This receipt was changed');
      expect(shown).not.toMatch(/My Studio|Unchanged/);
    });
  });

  it('finds pages that everybody can use', async () => {
    const page = await visit(true);
    const visitor = new Visitor(page, service, new Translator('en'), axe);
    await visitor.look('link');
    const photo = await page.$eval('.photos a.picture', (one) => one.href);
    await page.goto(photo);
    await visitor.look('photo of a link');
    await page.goto(`${service.baseUrl}/receipts/verify`);
    await visitor.look('receipt');
    expect(visitor.faults).toEqual([]);
    await page.browserContext().close();
  });
});
