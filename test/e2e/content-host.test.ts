import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { freePort } from '../service/support/free-port.js';
import { addUser, addWorkspace, connectAs, send } from '../service/support/users.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { RUNNABLES } from '../support/pictures.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';

/** Long enough for a script to have run that was going to. */
const SETTLE_MS = 150;

describe('stored files on a separate host, in a real browser', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let host: string;
  let page: Page;
  const ids: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    host = `http://127.0.0.1:${port}`;
    service = await startTestService({ port, contentUrl: host });
    cleanUp.add(() => service.close());
    const studio = await addWorkspace(service, 'North Studio');
    const person = await addUser(service, { [studio]: 'owner' });
    const plugin = await connectAs(service, person);
    for (const [index, { bytes }] of RUNNABLES.entries())
      ids.push(await send(service, plugin, `holiday-${index}.jpg`, new Uint8Array(bytes)));
    const browser: Browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    page = await browser.newPage();
    await page.goto(`${service.baseUrl}/photos`);
    await page.type('input[name=username]', person.username);
    await page.type('input[name=password]', person.password);
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
  });
  afterAll(() => cleanUp.run());

  it('appear as thumbnails on the pages', async () => {
    // By the address of the picture on the page, where it came from. Under load the browser may ask twice.
    const from = new Map<string, string>();
    page.on('response', (response) => {
      // The browser draws parts of its form fields from data: URLs.
      const request = response.request();
      const isPicture = request.resourceType() === 'image' && response.status() === 200;
      const asked = request.redirectChain()[0] ?? request;
      if (isPicture && response.url().startsWith('http')) from.set(asked.url(), response.url());
    });
    // Cached responses do not report their redirect.
    await page.setCacheEnabled(false);
    await page.goto(`${service.baseUrl}/photos`, { waitUntil: 'networkidle0' });
    const widths = await page.$$eval('.photos img', (pictures) =>
      pictures.map((picture) => picture.naturalWidth),
    );
    expect(widths).toHaveLength(RUNNABLES.length);
    expect(widths.every((width) => width > 0)).toBe(true);
    expect([...from.keys()].sort()).toEqual(
      ids.map((id) => `${service.baseUrl}/photos/${id}/thumbnail`).sort(),
    );
    expect([...from.values()].filter((url) => !url.startsWith(`${host}/content/`))).toEqual([]);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('do not run on that host', async () => {
    for (const id of ids)
      for (const form of ['file', 'preview', 'thumbnail']) {
        await page.goto(`${service.baseUrl}/photos/${id}/${form}`).catch((error: unknown) => {
          if (!String(error).includes('ERR_ABORTED')) throw error;
        });
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        const ran = await page.evaluate(() => document.documentElement.hasAttribute('data-ran'));
        expect([id, form, ran]).toEqual([id, form, false]);
      }
  });
});
