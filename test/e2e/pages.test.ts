import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { layout } from '../../service/kernel/html/layout.js';
import * as outcome from '../../service/site/error-pages.js';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { furtherPages } from '../service/support/further-pages.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { LONG_WORD, serveAxe, Visitor, WALKED } from './browser-user.js';

const FURTHER = furtherPages(LONG_WORD);

/** The pages of the outcome to which the walk leads. */
const ON_THE_WAY = [
  'connectedPage',
  'deniedPage',
  'notFoundPage',
  'expiredPage',
  'requestProblemPage',
] as const;

describe('accessibility of the service’s pages', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;

  beforeAll(async () => {
    service = await startTestService();
    await addPhotos(service);
    cleanUp.add(() => service.close());
    // Without a separate drawing thread the pages cost a fifth less.
    browser = await launchBrowser({
      args: ['--disable-threaded-compositing', '--force-prefers-reduced-motion'],
    });
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it.each(WALKED)(
    'pages have no fault in %s, wide and narrow, light and dark, by keyboard',
    async (language) => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setExtraHTTPHeaders({ 'accept-language': language });
      // Scripts injected by the test are not subject to the page's policy.
      await page.setBypassCSP(true);
      const visitor = new Visitor(page, service, new Translator(language), axe);
      await visitor.walk();
      await context.close();
      expect(visitor.faults).toEqual([]);
      expect(visitor.looked.length).toBeGreaterThan(15);
    },
  );

  it('checks every page of the service', () => {
    const looked = [...ON_THE_WAY, ...Object.keys(FURTHER).map((name) => name.replace(/,.*/, ''))];
    expect(Object.keys(outcome).filter((name) => !looked.includes(name))).toEqual([]);
  });

  it.each(WALKED)('pages outside the main path have no fault in %s', async (language) => {
    const page = await browser.newPage();
    const visitor = new Visitor(page, service, new Translator(language), axe);
    const menu = { address: '/oauth/device', secret: 'x'.repeat(22), cookie: undefined };
    for (const [name, make] of Object.entries(FURTHER)) {
      await page.setContent(layout(make(), { language, menu }, undefined).toString());
      await visitor.look(name);
    }
    await page.close();
    expect(visitor.faults).toEqual([]);
    expect(visitor.looked).toHaveLength(Object.keys(FURTHER).length);
  });
});

/** A list of more than one page, a name that needs room and is there twice, and one photo in the trash. */
async function addPhotos({ database }: TestService): Promise<void> {
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                          sha256, trashed_at, trashed_by)
     SELECT 'photo-' || lpad(n::text, 3, '0'), account_id, workspace_id, 12345678,
            CASE WHEN n IN (57, 59) THEN $1 ELSE 'DSC_' || n || '.jpg' END, '', '{}', now(),
            timestamptz '2026-11-01' + n * interval '1 hour', repeat('0123456789abcdef', 4),
            CASE n WHEN 60 THEN now() END, CASE n WHEN 60 THEN account_id END
       FROM generate_series(1, 60) AS n, workspace_members`,
    [`${LONG_WORD}.jpg`],
  );
}
