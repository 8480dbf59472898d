import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Frame, Page } from 'puppeteer-core';

import type { Preview } from '../../preview/server.js';
import type { RunningService } from '../../service/start.js';
import { CleanUp } from './clean-up.js';
import { awaitButton, awaitText, chooseFiles, clickButton, tabOpenedBy } from './click.js';
import { makePhotos, type Photo } from './photos.js';
import { startProduct } from './running-product.js';
import { screenshot } from './screenshot.js';
import { becomes, PATIENCE_MS } from './patience.js';

const PHOTOS = [
  { name: 'IMG_0001.jpg', size: 200_000 },
  { name: 'Küste bei Nacht.jpeg', size: 1_234_567 },
  { name: 'IMG_0003 (2).JPG', size: 4_000_001 },
  { name: '夕焼け.jpg', size: 8_388_608 },
  { name: 'panorama.jpg', size: 12_000_000 },
];

/** What a photographer does, in a real browser: every part is the real one, only the creative app is simulated. */
describe('the main job', () => {
  const cleanUp = new CleanUp();
  let folder: string;
  let service: RunningService;
  let preview: Preview;
  let browser: Browser;
  let photos: Photo[];

  beforeAll(async () => {
    ({ folder, service, preview, browser } = await startProduct('main-job', cleanUp));
    const page = await browser.newPage();
    photos = await makePhotos(page, folder, PHOTOS);
    await page.close();
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it('connects with a code, uploads five photos byte for byte, is still connected later, and disconnects for good', async () => {
    const first = await openPreview(browser, preview.url);

    const devicePage = await connect(browser, first.panel, service.baseUrl);
    const code = await readUserCode(first.panel);
    await screenshot(first.page, 'main-job-code');
    await approve(devicePage, code, service);

    await first.page.bringToFront();
    await awaitText(first.panel, 'Connected'); // automatically: the next poll finds the approval
    await choosePhotos(first.page, first.panel, photos);
    await awaitUploads(first.panel, photos.length);
    await screenshot(first.page, 'main-job-uploaded');

    const token = first.lastToken();
    expect(await arrived(service.baseUrl, token)).toEqual(
      photos
        .map(({ name, size, sha256 }) => ({ name, size, sha256, type: 'image/jpeg' }))
        .sort((a, b) => a.size - b.size),
    );
    expect(first.problems).toEqual([]);

    await first.page.close();
    const second = await openPreview(browser, preview.url);
    await awaitText(second.panel, 'Connected');
    await screenshot(second.page, 'main-job-reopened');

    // The document of the app around the panel: through the preview's half and the browser host's.
    await clickButton(second.panel, 'Upload this document');
    // Photos uploaded earlier are no longer listed.
    await awaitUploads(second.panel, 1);
    expect(await arrived(service.baseUrl, token)).toContainEqual(
      expect.objectContaining({ name: 'Lake at dusk.jpg', type: 'image/jpeg' }),
    );

    expect(await statusOf(service.baseUrl, token)).toBe(200);
    await clickButton(second.panel, 'Account menu');
    await clickButton(second.panel, 'Disconnect');
    await awaitButton(second.panel, 'Connect');
    // The panel signs out at once; the revocation runs in the background.
    expect(await becomes(async () => (await statusOf(service.baseUrl, token)) === 401)).toBe(true);
    expect(second.problems).toEqual([]);
  });
});

interface OpenPreview {
  readonly page: Page;
  readonly panel: Frame;
  /** Script errors and lines on the console that a clean run does not have. */
  readonly problems: string[];
  /** The access token that the plugin sent last, off the wire. */
  lastToken(): string;
}

async function openPreview(browser: Browser, url: string): Promise<OpenPreview> {
  const page = await browser.newPage();
  const problems: string[] = [];
  let token: string | undefined;
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warn') return;
    const { url } = message.location();
    // Polling is answered with 400 and `authorization_pending` until the user has allowed it (RFC 8628 §3.5).
    if (url?.endsWith('/api/oauth/token') !== true || !message.text().includes('400')) {
      problems.push(`${message.text()} ${url ?? ''}`);
    }
  });
  page.on('request', (request) => {
    token = /^Bearer (svc_at_.+)$/.exec(request.headers()['authorization'] ?? '')?.[1] ?? token;
  });
  await page.goto(url);
  const panel = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
  await panel
    .waitForFunction(() => document.body.innerText.trim() !== '')
    .catch((cause: unknown) => {
      throw new Error(`The panel stays empty. ${problems.join(' | ')}`, { cause });
    });
  return {
    page,
    panel,
    problems,
    lastToken() {
      if (token === undefined) throw new Error('No request bore an access token.');
      return token;
    },
  };
}

async function readUserCode(panel: Frame): Promise<string> {
  const element = await panel.waitForSelector('#user-code', { visible: true });
  const code = await element?.evaluate((found) => found.textContent.trim());
  expect(code).toMatch(/^[A-Z0-9]{4}-?[A-Z0-9]{4}$/);
  return code ?? '';
}

/** Connect shows the code and opens a page of the service in a new tab, the way the system browser would come up. */
async function connect(browser: Browser, panel: Frame, baseUrl: string): Promise<Page> {
  return tabOpenedBy(browser, `${baseUrl}/oauth/device`, () => clickButton(panel, 'Connect'));
}

async function approve(page: Page, code: string, service: RunningService): Promise<void> {
  await page.bringToFront();
  await page.waitForSelector('input[name="user_code"]');
  await page.type('input[name="user_code"]', code);
  await leaveBy(page, 'Continue');
  await page.type('input[name="username"]', service.demo.username);
  await page.type('input[name="password"]', service.demo.password);
  await screenshot(page, 'main-job-sign-in');
  await leaveBy(page, 'Sign in');
  await awaitText(page, service.demo.workspace);
  await screenshot(page, 'main-job-consent');
  await leaveBy(page, 'Allow');
  await screenshot(page, 'main-job-allowed');
}

async function leaveBy(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), clickButton(page, button)]);
}

async function choosePhotos(page: Page, panel: Frame, photos: readonly Photo[]): Promise<void> {
  const paths = photos.map(({ path }) => path);
  await chooseFiles(page, paths, () => clickButton(panel, 'Add photos'));
}

async function awaitUploads(panel: Frame, count: number): Promise<void> {
  try {
    await panel.waitForFunction(
      (expected) => {
        const rows = [...document.querySelectorAll<HTMLElement>('.photo')];
        return rows.filter((row) => row.innerText.includes('Uploaded')).length === expected;
      },
      { timeout: PATIENCE_MS },
      count,
    );
  } catch (cause) {
    const seen = await panel.evaluate(() => document.body.innerText);
    throw new Error(`Not all photos were uploaded; the panel reads:\n${seen}`, { cause });
  }
}

function listUploads(baseUrl: string, token: string): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/uploads`, { headers: { Authorization: `Bearer ${token}` } });
}

async function statusOf(baseUrl: string, token: string): Promise<number> {
  const response = await listUploads(baseUrl, token);
  await response.arrayBuffer();
  return response.status;
}

/** The uploads that the service lists, smallest first. */
async function arrived(baseUrl: string, token: string): Promise<unknown[]> {
  const { uploads } = (await (await listUploads(baseUrl, token)).json()) as {
    uploads: { name: string; size: number; type: string; sha256: string }[];
  };
  return uploads
    .map(({ name, size, type, sha256 }) => ({ name, size, type, sha256 }))
    .sort((a, b) => a.size - b.size);
}
