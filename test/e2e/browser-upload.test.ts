import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer-core';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { awaitText, clickButton } from './click.js';
import { becomes } from './patience.js';

const isCreation = (request: HTTPRequest): boolean =>
  request.headers()['upload-length'] !== undefined;

/** Large enough to be interrupted. */
const LARGE = 24 * 1024 * 1024;

/** Uploading on the pages of the service, in a browser. */
describe('uploading in the browser', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let network: CDPSession;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'browser-upload-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true }));
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    page = await browser.newPage();
    network = await page.createCDPSession();
    await page.goto(`${service.baseUrl}/photos`);
    await page.type('input[name="username"]', service.demo.username);
    await page.type('input[name="password"]', service.demo.password);
    await Promise.all([page.waitForNavigation(), clickButton(page, 'Sign in')]);
  });
  afterAll(() => cleanUp.run());
  beforeEach(async () => {
    await page.setJavaScriptEnabled(true);
    await page.goto(`${service.baseUrl}/photos`);
  });

  const file = async (name: string, size: number): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, Buffer.alloc(size, name));
    return path;
  };
  const choose = async (...paths: string[]): Promise<void> => {
    const input = await page.$('.upload input[type=file]');
    await (input as { uploadFile(...files: string[]): Promise<void> } | null)?.uploadFile(...paths);
  };
  const slow = (bytesPerSecond: number, offline = false): Promise<unknown> =>
    network.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    });
  const stored = async (name: string): Promise<{ count: number; sha256: string | null }> => {
    const rows = await service.database.query<{ sha256: string | null }>(
      'SELECT sha256 FROM uploads WHERE name = $1',
      [name],
    );
    return { count: rows.length, sha256: rows[0]?.sha256 ?? null };
  };
  const digest = (name: string, size: number): string =>
    createHash('sha256').update(Buffer.alloc(size, name)).digest('hex');

  it('sends chosen and dropped files, which then appear in the list', async () => {
    await choose(await file('One.jpg', 1000), await file('Two.jpg', 2000));
    await awaitText(page, 'Uploaded: 2 of 2');
    await page.waitForFunction(
      () => document.querySelectorAll('ul.photos li[data-id]').length >= 2,
    );
    expect(await stored('Two.jpg')).toEqual({ count: 1, sha256: digest('Two.jpg', 2000) });
    await page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'Three.jpg', { type: 'image/jpeg' }));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    });
    await awaitText(page, 'Uploaded: 1 of 1');
    expect((await stored('Three.jpg')).count).toBe(1);
  });

  it('leaves the name of a project that somebody types as it is', async () => {
    await service.database.query(
      `INSERT INTO projects (id, workspace_id, name, created_at)
       SELECT 'coast', workspace_id, 'Coast', now() FROM workspace_members LIMIT 1`,
    );
    await page.goto(`${service.baseUrl}/projects/coast`);
    const field = '.fields [name="name"]';
    await page.$eval(field, (input) => input.closest('details')?.setAttribute('open', ''));
    await page.type(field, '2026 ');
    const refreshed = page.waitForResponse((response) =>
      response.url().endsWith('/projects/coast'),
    );
    await choose(await file('Cliff.jpg', 1000));
    await awaitText(page, 'Uploaded: 1 of 1');
    await (await refreshed).text();
    expect(await page.$eval(field, (input) => (input as HTMLInputElement).value)).toBe(
      '2026 Coast',
    );
  });

  it('sends the photos of dropped folders, and not those that are there already', async () => {
    await mkdir(join(folder, 'Shoot', 'raw'), { recursive: true });
    await file('Shoot/One.png', 500);
    await file('Shoot/raw/Two.NEF', 600);
    await file('Shoot/Notes.txt', 10);
    await file('Shoot/._One.png', 10);
    const drop = async (): Promise<void> => {
      const data = { items: [], files: [join(folder, 'Shoot')], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await network.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data });
      }
    };
    const rows = (): Promise<string[]> =>
      page.$$eval('.uploads li', (items) => items.map((item) => item.textContent.trim()));
    await drop();
    await awaitText(page, 'Uploaded: 2 of 2');
    expect(await rows()).toEqual([
      expect.stringContaining('One.png'),
      expect.stringContaining('Two.NEF'),
    ]);
    expect((await stored('Shoot/raw/Two.NEF')).count).toBe(0);
    await file('Shoot/One.png', 501);
    await drop();
    await awaitText(page, 'Uploaded: 2 of 2');
    await awaitText(page, 'Already uploaded');
    expect((await stored('Two.NEF')).count).toBe(1);
    expect((await stored('One.png')).count).toBe(2);
    await clickButton(page, 'Upload again');
    await awaitText(page, 'Uploaded: 2 of 2');
    expect((await stored('Two.NEF')).count).toBe(2);
  });

  it('pauses without a connection and goes on by itself', async () => {
    await network.send('Network.enable');
    await slow(4 * 1024 * 1024);
    await choose(await file('Offline.jpg', LARGE));
    await awaitText(page, 'Uploading: 0 of 1');
    await slow(0, true);
    await awaitText(page, 'No connection. Continues automatically.');
    await slow(-1);
    await awaitText(page, 'Uploaded: 1 of 1');
    expect(await stored('Offline.jpg')).toEqual({
      count: 1,
      sha256: digest('Offline.jpg', LARGE),
    });
  });

  it('goes on after a reload when the same file is chosen again', async () => {
    await network.send('Network.enable');
    await slow(2 * 1024 * 1024);
    const path = await file('Resumed.jpg', LARGE);
    await choose(path);
    expect(
      await becomes(async () => {
        const percent = await page.$eval('.uploads .state', (state) => state.textContent);
        return Number.parseInt(percent, 10) >= 10;
      }),
    ).toBe(true);
    const asked = new Promise((resolve) =>
      page.once('dialog', (dialog) => resolve(dialog.accept())),
    );
    await page.reload();
    await asked;
    const offsets: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '');
    });
    await slow(-1);
    await choose(path);
    await awaitText(page, 'Uploaded: 1 of 1');
    expect(Number(offsets[0])).toBeGreaterThan(0);
    expect(await stored('Resumed.jpg')).toEqual({
      count: 1,
      sha256: digest('Resumed.jpg', LARGE),
    });
  });

  it('shows why a file was refused, and tries again', async () => {
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('.upload')?.setAttribute('data-csrf', 'old');
    });
    await choose(await file('Refused.jpg', 10));
    await awaitText(page, 'You were signed out. Reload the page and sign in. (invalid_csrf_token)');
    expect((await stored('Refused.jpg')).count).toBe(0);
    await clickButton(page, 'Try again');
    await awaitText(page, 'Uploaded: 1 of 1');
    expect((await stored('Refused.jpg')).count).toBe(1);
  });

  it('shows one notice while there is no space, and sends all files once there is', async () => {
    let lack: string | undefined = 'insufficient_storage';
    let refused = 0;
    const answer = (request: HTTPRequest): void => {
      if (lack === undefined || request.method() !== 'POST' || !isCreation(request)) {
        void request.continue();
        return;
      }
      refused += 1;
      void request.respond({ status: 507, body: JSON.stringify({ error: lack }) });
    };
    await page.setRequestInterception(true);
    page.on('request', answer);
    const names = Array.from({ length: 12 }, (_, index) => `Space ${index}.jpg`);
    await choose(...(await Promise.all(names.map((name, index) => file(name, 100 + index)))));
    await awaitText(
      page,
      'The workspace is full. Uploads continue as soon as there is space. (CW-606)',
    );
    const states = (): Promise<string[]> =>
      page.$$eval('.uploads .state', (all) => all.map((state) => state.textContent));
    expect(await becomes(async () => (await states()).every((state) => state === 'Waiting'))).toBe(
      true,
    );
    expect(refused).toBe(3);
    lack = 'insufficient_disk_space';
    await clickButton(page, 'Try again');
    await awaitText(page, 'The service is out of space. Only its operator can make room. (CW-620)');
    expect(refused).toBe(4);
    lack = undefined;
    await clickButton(page, 'Try again');
    await awaitText(page, 'Uploaded: 12 of 12');
    page.off('request', answer);
    await page.setRequestInterception(false);
    expect(await page.$eval('.no-space', (notice) => notice.checkVisibility())).toBe(false);
    for (const name of names) expect((await stored(name)).count).toBe(1);
  });

  it('has no button without a script', async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(`${service.baseUrl}/photos`);
    expect(await page.$eval('.upload', (element) => element.checkVisibility())).toBe(false);
  });
});
