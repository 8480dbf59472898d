import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, Frame, Page } from 'puppeteer-core';

import type { Preview } from '../../preview/server.js';
import { approveDevice, type SignIn } from '../service/support/browser-client.js';
import { addUser, connectAs, send } from '../service/support/users.js';
import type { TestService } from '../service/support/running-service.js';
import { sequentialTest } from '../support/sequential-test.js';
import { CleanUp } from './clean-up.js';
import { awaitButton, awaitText, chooseFiles, clickButton, tabOpenedBy } from './click.js';
import { makeSmallPhotos } from './photos.js';
import { startProduct } from './running-product.js';
import { becomes } from './patience.js';

const JPEGS = 30;
const ALL = JPEGS + 1;
const WANTED = 'IMG_0017.jpg';
const MEMBERS = 'From the second camera.jpg';
const CLIENTS = 'For the client.jpg';

/** A photographer's day after connecting: uploads photos and works with them in the browser. */
describe('a photographer', () => {
  const cleanUp = new CleanUp();
  let folder: string;
  let service: TestService;
  let preview: Preview;
  let browser: Browser;
  /** The bytes of the sent files, by name. */
  const photos = new Map<string, Buffer>();
  let previewPage: Page;
  let panel: Frame;
  /** The page of the service that the panel has opened. */
  let site: Page;
  let member: SignIn;

  beforeAll(async () => {
    ({ folder, service, preview, browser } = await startProduct('photographer', cleanUp));
    previewPage = await browser.newPage();
    const jpegs = await makeSmallPhotos(previewPage, JPEGS + 2);
    for (const [index, bytes] of jpegs.entries())
      photos.set([MEMBERS, CLIENTS][index - JPEGS] ?? nameOf(index), bytes);
    photos.set('Poster.psd', smallPsd());
    expect(new Set([...photos.values()].map(digestOf)).size).toBe(ALL + 2);
    for (const name of ['clipboard-read', 'clipboard-write'])
      await browser.defaultBrowserContext().setPermission(new URL(preview.url).origin, {
        permission: { name },
        state: 'granted',
      });
    await previewPage.goto(preview.url);
    panel = await previewPage.waitForFrame((frame) => frame.url().includes('/panel/'));
    await approveAfter('Connect');
    await awaitText(panel, 'You are connected');
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  const step = sequentialTest('sends a day’s photos and works with them in the browser');

  step('sends thirty JPEG and a PSD', async () => {
    const own = [...photos].filter(([name]) => name !== MEMBERS && name !== CLIENTS);
    const paths = own.map(([name]) => join(folder, name));
    await Promise.all(own.map(([name, bytes]) => writeFile(join(folder, name), bytes)));
    await chooseFiles(previewPage, paths, () => clickButton(panel, 'Add photos'));
    await awaitText(panel, `${ALL} files uploaded`);
  });

  step('opens Files from the panel, and signs in', async () => {
    site = await siteOpenedBy('Files in browser');
    await signIn(site, service.demo);
    expect(new URL(site.url()).pathname).toBe('/photos');
    expect((await listed(site)).length).toBe(ALL);
    expect(await listed(site)).toContain('Poster.psd');
  });

  step('finds a photo by its name, and downloads what was sent', async () => {
    await site.type('input[name="q"]', '0017');
    expect(await becomes(async () => (await listed(site)).join() === WANTED)).toBe(true);
    await openPhoto(site, WANTED);
    await awaitText(site, digestOf(sent(WANTED)));
    expect(digestOf(await download(site, WANTED))).toBe(digestOf(sent(WANTED)));
  });

  step('deletes it and restores it', async () => {
    await leaveBy(site, 'Move to trash');
    await awaitText(site, '1 file moved to trash.');
    expect(await listed(site)).not.toContain(WANTED);
    await follow(site, 'Trash');
    expect(await listed(site)).toEqual([WANTED]);
    await leaveBy(site, 'Restore');
    await awaitText(site, '1 file restored.');
    await follow(site, 'Files');
    expect((await listed(site)).length).toBe(ALL);
  });

  step('shares it with somebody who has no account', async () => {
    await openPhoto(site, WANTED);
    await follow(site, 'Share');
    await leaveBy(site, 'Create link');
    const link = await site.$eval('input#secret', ({ value }) => value);
    const guest = await (await browser.createBrowserContext()).newPage();
    await guest.goto(`${service.baseUrl}/photos`);
    expect(new URL(guest.url()).pathname).toBe('/settings/sign-in');
    await guest.goto(link);
    await awaitText(guest, WANTED);
    expect(await listed(guest)).toEqual([WANTED]);
    await openPhoto(guest, WANTED);
    expect(digestOf(await download(guest, WANTED))).toBe(digestOf(sent(WANTED)));
    await guest.browserContext().close();
  });

  step('sees a member’s photos; the member does not see the photos of others', async () => {
    const [upload] = await service.database.query<{ id: string }>(
      'SELECT workspace_id AS id FROM uploads LIMIT 1',
    );
    member = await addUser(service, { [upload?.id ?? '']: 'member' });
    const token = await connectAs(service, member);
    await send(service, token, MEMBERS, new Uint8Array(sent(MEMBERS)));
    await follow(site, 'Files');
    expect((await listed(site))[0]).toBe(MEMBERS);
    await openPhoto(site, WANTED);
    const address = site.url();

    const theirs = await (await browser.createBrowserContext()).newPage();
    await theirs.goto(`${service.baseUrl}/photos`);
    await signIn(theirs, member);
    expect(await listed(theirs)).toEqual([MEMBERS]);
    await theirs.goto(address);
    await awaitText(theirs, 'This file no longer exists, or you do not have access to it.');
    const file = await theirs.goto(`${service.baseUrl}${new URL(address).pathname}/file`);
    expect(file?.status()).toBe(404);
    await theirs.browserContext().close();
  });

  step('sends a photo to a new project, whose link a client opens', async () => {
    await previewPage.bringToFront();
    await clickButton(panel, 'ToNo project');
    await approveAfter('Open browser');

    // The list opens again by itself.
    await (await panel.waitForSelector('.popover sp-textfield'))?.click();
    await previewPage.keyboard.type('Coast wedding');
    await awaitText(panel, 'Create “Coast wedding”');
    await previewPage.keyboard.press('Enter');
    await awaitButton(panel, 'ToCoast wedding');
    const path = join(folder, CLIENTS);
    await writeFile(path, sent(CLIENTS));
    await chooseFiles(previewPage, [path], () => clickButton(panel, 'Add photos'));
    await awaitText(panel, '1 file uploaded to Coast wedding');

    await clickButton(panel, 'Share');
    await approveAfter('Open browser');
    // The panel comes back to what needed the permission.
    await clickButton(panel, 'Create link');
    await awaitText(panel, 'Link copied');
    const link = await previewPage.evaluate(() => navigator.clipboard.readText());
    expect(link.startsWith(`${service.baseUrl}/s/`)).toBe(true);

    const client = await (await browser.createBrowserContext()).newPage();
    await client.goto(link);
    expect(await listed(client)).toEqual([CLIENTS]);
    await openPhoto(client, CLIENTS);
    expect(digestOf(await download(client, CLIENTS))).toBe(digestOf(sent(CLIENTS)));
    await client.browserContext().close();
  });

  /** Presses a button in the panel, and returns the tab of the service that it opens. */
  function siteOpenedBy(button: string): Promise<Page> {
    return tabOpenedBy(browser, service.baseUrl, () => clickButton(panel, button));
  }

  /** Presses a button that opens the device page, allows the code elsewhere, and comes back to the panel. */
  async function approveAfter(button: string): Promise<void> {
    const tab = await siteOpenedBy(button);
    const code = await panel.waitForSelector('#user-code', { visible: true });
    const userCode = await code?.evaluate((element) => element.textContent.trim());
    await approveDevice(service.baseUrl, userCode ?? '', service.demo);
    await tab.close();
    await previewPage.bringToFront();
    await panel.waitForSelector('#user-code', { hidden: true });
  }

  function sent(name: string): Buffer {
    const bytes = photos.get(name);
    if (bytes === undefined) throw new Error(`${name} was not made.`);
    return bytes;
  }

  /** Presses Download on a page, and returns the saved file. */
  async function download(page: Page, name: string): Promise<Buffer> {
    const downloadPath = await mkdtemp(join(folder, 'download-'));
    const session = await page.createCDPSession();
    const browserContextId = page.browserContext().id;
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath,
      ...(browserContextId !== undefined && { browserContextId }),
    });
    await page.click('a[download], a[aria-label="Download"]');
    // The browser gives the file its name when it is whole.
    const saved = join(downloadPath, name);
    expect(await becomes(() => existsSync(saved))).toBe(true);
    return readFile(saved);
  }
});

function nameOf(index: number): string {
  return `IMG_${String(index + 1).padStart(4, '0')}.jpg`;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * An 8 by 8 picture as Photoshop saves it: header, three empty sections, raw bytes of three channels
 * ([Photoshop file formats](https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/)).
 */
function smallPsd(): Buffer {
  const side = 8;
  const header = Buffer.alloc(26);
  header.write('8BPS\0\x01', 'latin1');
  header.writeUInt16BE(3, 12);
  header.writeUInt32BE(side, 14);
  header.writeUInt32BE(side, 18);
  header.writeUInt16BE(8, 22);
  header.writeUInt16BE(3, 24);
  const sections = Buffer.alloc(3 * 4);
  const compression = Buffer.alloc(2);
  return Buffer.concat([header, sections, compression, Buffer.alloc(3 * side * side, 0x7f)]);
}

/** Names of the photos that a page lists, in its order. */
function listed(page: Page): Promise<string[]> {
  return page.$$eval('ul.photos [data-name]', (photos) =>
    photos.map((photo) => photo.getAttribute('data-name') ?? ''),
  );
}

/** Opens the page of a photo in the list. */
async function openPhoto(page: Page, name: string): Promise<void> {
  await page.goto(await page.$eval(`li[data-name="${name}"] a.picture`, (link) => link.href));
}

async function signIn(page: Page, { username, password }: SignIn): Promise<void> {
  await page.waitForSelector('input[name="username"]');
  await page.type('input[name="username"]', username);
  await page.type('input[name="password"]', password);
  await leaveBy(page, 'Sign in');
}

async function leaveBy(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), clickButton(page, button)]);
}

/** Follows the first link with exactly this text. */
async function follow(page: Page, text: string): Promise<void> {
  const link = await page.evaluateHandle(
    (wanted) => [...document.querySelectorAll('a')].find((a) => a.textContent.trim() === wanted),
    text,
  );
  const element = link.asElement();
  if (element === null) throw new Error(`No link "${text}" on ${page.url()}.`);
  await Promise.all([
    page.waitForNavigation(),
    element.evaluate((a) => {
      (a as HTMLElement).click();
    }),
  ]);
}
