import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { shareAs } from '../service/delivery/shares/sharing.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, connectAs, send, type TestUser } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor, WALKED } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { becomes } from './patience.js';
import { makeSmallPhotos } from './photos.js';
import { screenshot } from './screenshot.js';

const WIDTHS = [375, 1280] as const;

/** Guests who answer at the same time, and the studio that reads it. */
describe('a link with three guests at once', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;
  let owner: TestUser;
  let ids: string[];

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
    owner = await addUser(service, { [await addWorkspace(service, 'Demo Studio')]: 'owner' });
    const token = await connectAs(service, owner);
    const page = await browser.newPage();
    ids = [];
    for (const [index, bytes] of (await makeSmallPhotos(page, 3)).entries()) {
      ids.push(await send(service, token, `LH6_${index}.jpg`, new Uint8Array(bytes)));
    }
    await page.close();
    await service.database.query(
      `INSERT INTO projects (id, workspace_id, name, created_at)
       SELECT 'dunes', workspace_id, 'Dunes', now() FROM uploads LIMIT 1`,
    );
    await service.database.query(`UPDATE uploads SET project_id = 'dunes'`);
  });
  afterAll(() => cleanUp.run());

  const makeLink = async (): Promise<{ link: string; answers: string }> => {
    await service.database.query('DELETE FROM shares');
    await service.database.query('DELETE FROM share_answers');
    const link = await shareAs(service, owner, { project: 'dunes' });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    return { link, answers: `/shares/${share?.id ?? ''}/answers` };
  };
  /** A browser of somebody new, whose clicks are counted over all its pages. */
  const visit = async (path: string, width: number): Promise<Page> => {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setBypassCSP(true);
    await page.setViewport({ width, height: 812 });
    await page.evaluateOnNewDocument(() => {
      addEventListener(
        'click',
        ({ detail }) => {
          // A key that presses a button is no click.
          const clicks = Number(sessionStorage.getItem('clicks')) + (detail > 0 ? 1 : 0);
          sessionStorage.setItem('clicks', String(clicks));
        },
        { capture: true },
      );
    });
    await page.goto(service.baseUrl + path);
    return page;
  };
  const visitAsOwner = async (path: string, width: number): Promise<Page> => {
    const page = await visit(path, width);
    await page.type('input[name="username"]', owner.username);
    await page.type('input[name="password"]', owner.password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    return page;
  };
  const clicksDuring = async (page: Page, act: () => Promise<unknown>): Promise<number> => {
    const clicks = (): Promise<number> =>
      page.evaluate(() => Number(sessionStorage.getItem('clicks')));
    const before = await clicks();
    await act();
    return (await clicks()) - before;
  };
  const follow = (page: Page, selector: string): Promise<unknown> =>
    Promise.all([page.waitForNavigation(), page.click(selector)]);
  const like = async (page: Page, place: number): Promise<void> => {
    await page.click(`.photos li:nth-child(${place}) .heart`);
    await page.waitForSelector(`.photos li:nth-child(${place}) .heart[aria-pressed="true"]`);
  };
  const text = (page: Page): Promise<string> => page.$eval('main', (main) => main.innerText);
  const favourites = async (): Promise<string[]> =>
    (
      await service.database.query<{ mark: string }>(
        `SELECT guest_name || ' ' || count(*) AS mark FROM share_answers
          WHERE kind = 'favourite' GROUP BY guest_name ORDER BY 1`,
      )
    ).map(({ mark }) => mark);

  it.each(WIDTHS)(
    'takes a click for a mark, one to finish and two to remove a guest, at %d px',
    async (width) => {
      const { link, answers } = await makeLink();
      const guests = await Promise.all(
        ['Anna', 'Ben', 'Noor'].map(async (name) => {
          const page = await visit(link, width);
          await page.click('.photos li:nth-child(1) .heart');
          await page.waitForSelector('dialog[open]');
          await page.type('#name', name);
          await page.keyboard.press('Enter');
          await page.waitForSelector('.photos li:nth-child(1) .heart[aria-pressed="true"]');
          return page;
        }),
      );
      const [anna, , noor] = guests as [Page, Page, Page];
      const marked = await Promise.all(
        guests.map((page) =>
          clicksDuring(page, async () => {
            await like(page, 2);
            await like(page, 3);
          }),
        ),
      );
      expect(marked).toEqual([2, 2, 2]);
      expect(await favourites()).toEqual(['Anna 3', 'Ben 3', 'Noor 3']);
      expect(await clicksDuring(anna, () => follow(anna, '.finish button'))).toBe(1);
      expect(await text(anna)).toContain('Thank you');

      const studio = await visitAsOwner('/shares', width);
      const removed = await clicksDuring(studio, async () => {
        await follow(studio, `a[href="${answers}"]`);
        expect(await text(studio)).toMatch(/Anna has finished/);
        const [stranger] = await service.database.query<{ id: string }>(
          `SELECT guest_id AS id FROM share_answers WHERE guest_name = 'Noor'`,
        );
        await follow(studio, `button[name="remove"][value="${stranger?.id ?? ''}"]`);
      });
      expect(removed).toBe(2);
      expect(await favourites()).toEqual(['Anna 3', 'Ben 3']);
      await screenshot(studio, `client-review-removed-${width}`);

      // What Noor presses now is refused in words, and Ben goes on.
      await noor.click('.photos li:nth-child(2) .heart');
      await noor.waitForSelector('.toast', { visible: true });
      expect(await favourites()).toEqual(['Anna 3', 'Ben 3']);
      await follow(studio, 'button[name="restore"]');
      expect(await becomes(async () => (await favourites()).length === 3)).toBe(true);
      await Promise.all([...guests, studio].map((page) => page.browserContext().close()));
    },
  );

  it.each(WALKED)(
    'has pages that everybody can use in %s, for guests and the studio',
    async (language) => {
      const { link, answers } = await makeLink();
      await service.database.query(
        `INSERT INTO share_answers (id, share_id, photo_id, kind, value, guest_id, guest_name, upload_id, version, sha256,
                                  comment, pin_x, pin_y, created_at)
       SELECT kind || guest || $1, (SELECT id FROM shares), uploads.id, kind, value, guest, guest, uploads.id, 1, sha256,
              comment, spot, spot, now()
         FROM uploads, (VALUES ('favourite', NULL::integer, NULL, NULL::float), ('stars', 4, NULL, NULL), ('label', 2, NULL, NULL),
                               ('approval', NULL, NULL, NULL), ('comment', NULL, 'Please remove the sign.', 0.25))
                 AS said (kind, value, comment, spot),
              (VALUES ('Maximiliane-von-Hohenfels'), ('Ben')) AS guests (guest)
        WHERE uploads.id = $2`,
        [language, ids[0] ?? ''],
      );
      const page = await visitAsOwner(answers, 1280);
      await page.setExtraHTTPHeaders({ 'accept-language': language });
      const visitor = new Visitor(page, service, new Translator(language), axe);
      for (const path of [
        answers,
        `${answers}?answer=comment`,
        `${answers}?guest=Ben`,
        answers.replace('answers', 'contact-sheet'),
        link,
        `${link}/photo?photo=${ids[0] ?? ''}`,
        `${link}/finish`,
      ]) {
        await page.goto(service.baseUrl + path);
        await visitor.look(path);
      }
      expect(visitor.faults).toEqual([]);
      await page.browserContext().close();
    },
  );
});
