import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { addUser, addWorkspace, connectAs, createToken, send } from '../service/support/users.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { RUNNABLES, type Runnable } from '../support/pictures.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';

/** The headers that keep a file from running; a test can omit some. */
const OURS = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Long enough for a script to have run that was going to. */
const SETTLE_MS = 150;

describe('active files, in a real browser', () => {
  const cleanUp = new CleanUp();
  const ids = new Map<Runnable, string>();
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let token: string;
  let elsewhere: string;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    const studio = await addWorkspace(service, 'North Studio');
    const person = await addUser(service, { [studio]: 'owner' });
    const plugin = await connectAs(service, person);
    token = await createToken(service, person, 'uploads:content');
    for (const [index, file] of RUNNABLES.entries()) {
      ids.set(
        file,
        await send(
          service,
          plugin,
          `${'<b>'.repeat(index)}holiday.jpg`,
          new Uint8Array(file.bytes),
        ),
      );
    }
    elsewhere = await serveElsewhere(cleanUp, () => service.baseUrl, ids);
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    page = await browser.newPage();
    await page.goto(`${service.baseUrl}/photos`);
    await page.type('input[name=username]', person.username);
    await page.type('input[name=password]', person.password);
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    expect(new URL(page.url()).pathname).toBe('/photos');
  });
  afterAll(() => cleanUp.run());

  /** Opens an address as somebody who was given a link; a download leaves the page that was there. */
  const runsAt = async (address: string): Promise<boolean> => {
    await page.goto('about:blank');
    await page.goto(address).catch((error: unknown) => {
      if (!String(error).includes('ERR_ABORTED')) throw error;
    });
    return hasRun(page);
  };

  it.each(RUNNABLES)('$what runs with the media type that its sender chose', async (file) => {
    const index = RUNNABLES.indexOf(file);
    expect(await runsAt(`${elsewhere}/bare/${index}`)).toBe(true);
  });

  it.each(RUNNABLES)('$what does not run at any address of the service', async (file) => {
    const id = ids.get(file) ?? '';
    const photo = `${service.baseUrl}/photos/${id}`;
    for (const address of [photo, `${photo}/file`, `${photo}/preview`, `${photo}/thumbnail`]) {
      expect([address, await runsAt(address)]).toEqual([address, false]);
    }
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    const content = `${service.baseUrl}/api/v1/uploads/${id}/content`;
    expect((await fetch(content, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
    expect(await runsAt(content)).toBe(false);
    await page.setExtraHTTPHeaders({});
  });

  it.each(RUNNABLES)('$what does not run when a proxy serves it as a page', async (file) => {
    const index = RUNNABLES.indexOf(file);
    expect(await runsAt(`${elsewhere}/ours/${index}`)).toBe(false);
  });

  it('file names do not run in a list, and their ZIP is an attachment', async () => {
    await page.goto(`${service.baseUrl}/photos`);
    expect(await page.$$eval('.photos b', (found) => found.length)).toBe(0);
    await page.$$eval('input[name=photo]', (boxes) => {
      for (const box of boxes) box.click();
    });
    await page.click('button[formaction^="/photos/zip?"]');
    expect(await hasRun(page)).toBe(false);
    expect(new URL(page.url()).pathname).toBe('/photos');
  });

  it('other origins cannot embed a file as a script, a frame or a picture', async () => {
    // The same site, so that the user's cookies go along.
    await page.goto(`${elsewhere}/bare-guest`);
    await page.waitForFunction(() => 'allTried' in window);
    expect(await page.evaluate(() => ({ ...window.taken }))).toEqual({
      script: true,
      img: false,
      iframe: 'own',
    });
    await page.goto(`${elsewhere}/guest`);
    await page.waitForFunction(() => 'allTried' in window);
    expect(await page.evaluate(() => ({ ...window.taken }))).toEqual({
      script: false,
      img: false,
      iframe: 'none',
    });
  });
});

declare global {
  interface Window {
    taken: Record<string, unknown>;
    allTried: boolean;
  }
}

async function hasRun(page: Page): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const ran = await Promise.all(
    page
      .frames()
      .map((frame) => frame.evaluate(() => document.documentElement.hasAttribute('data-ran'))),
  );
  return ran.includes(true);
}

/** Serves the same files without our headers, and with a part of them, from another port of the same machine. */
async function serveElsewhere(
  cleanUp: CleanUp,
  service: () => string,
  ids: ReadonlyMap<Runnable, string>,
): Promise<string> {
  const server = createServer((request, response) => {
    const [, kind = '', index = ''] = (request.url ?? '').split('/');
    const file = RUNNABLES[Number(index)];
    if (kind.endsWith('guest')) {
      const script = RUNNABLES.find(({ type }) => type === 'text/javascript');
      const html = RUNNABLES[0];
      const of = (one: Runnable | undefined): string => {
        const at = one === undefined ? 0 : RUNNABLES.indexOf(one);
        return kind === 'guest'
          ? `${service()}/photos/${(one && ids.get(one)) ?? ''}/file`
          : `/bare/${at}`;
      };
      response.setHeader('Content-Type', 'text/html');
      response.end(guestPage(of(script), of(html)));
      return;
    }
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const isScriptPage =
      file.type === 'text/javascript' && request.headers['sec-fetch-dest'] === 'document';
    if (isScriptPage) {
      // A script alone does nothing: it needs a page that takes it in.
      const headers = kind === 'ours' ? OURS : {};
      response.writeHead(200, { ...headers, 'Content-Type': 'text/html' });
      response.end(`<!doctype html><html><script src="/${kind}/${index}"></script></html>`);
      return;
    }
    response.writeHead(200, { ...(kind === 'ours' && OURS), 'Content-Type': file.type });
    response.end(file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** A page of another origin that embeds files, and reports the result in `taken`. */
function guestPage(script: string, html: string): string {
  return `<!doctype html><html><body><script>
    window.taken = {};
    const settled = (kind, element) => new Promise((resolve) => {
      element.onload = element.onerror = () => setTimeout(resolve, 100);
      document.body.append(element);
    }).then(() => kind);
    const make = (kind, src) => Object.assign(document.createElement(kind), { src });
    const late = new Promise((resolve) => setTimeout(resolve, 3000));
    const frame = make('iframe', ${JSON.stringify(html)});
    Promise.race([late, Promise.all([
      settled('script', make('script', ${JSON.stringify(script)})),
      settled('img', make('img', ${JSON.stringify(html)})).then(() => 0),
      settled('iframe', frame),
    ])]).then(() => {
      const inside = (() => { try { return frame.contentDocument; } catch { return null; } })();
      window.taken = {
        script: document.documentElement.hasAttribute('data-ran'),
        img: [...document.images].some((one) => one.naturalWidth > 0),
        iframe: inside?.documentElement.hasAttribute('data-ran') ? 'own' : 'none',
      };
      window.allTried = true;
    });
  </script></body></html>`;
}
