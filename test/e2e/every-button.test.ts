import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import {
  TargetType,
  type Browser,
  type Frame,
  type HTTPRequest,
  type Page,
  type Target,
} from 'puppeteer-core';

import type { Preview } from '../../preview/server.js';
import type { RunningService } from '../../service/service.js';
import { approveDevice, denyDevice } from '../service/browser.js';
import { story } from '../support/story.js';
import { CleanUp } from './clean-up.js';
import { startProduct } from './running-product.js';
import { awaitText, clickButton } from './click.js';
import { makePhotos } from './photos.js';

/**
 * Every button of the panel is pressed in the preview, the real bundle against the real service, and what comes of it is
 * looked at. The page says which buttons there are: a new one that nothing here presses fails the last test.
 */
describe('every button of the panel', () => {
  const cleanUp = new CleanUp();
  let folder: string;
  let service: RunningService;
  let preview: Preview;
  let browser: Browser;
  let page: Page;
  let panel: Frame;
  /** What stands between the plugin and the service. */
  let between: (url: string, method: string) => 'abort' | 'hold' | number | undefined = () =>
    undefined;
  let token = '';
  /** Where the plugin has asked the browser to go. */
  const opened: string[] = [];

  beforeAll(async () => {
    ({ folder, service, preview, browser } = await startProduct('every-button', cleanUp));
    for (const name of ['clipboard-read', 'clipboard-write'])
      await browser.defaultBrowserContext().setPermission(new URL(preview.url).origin, {
        permission: { name },
        state: 'granted',
      });
    browser.on('targetcreated', (target: Target) => {
      if (target.type() === TargetType.PAGE) opened.push(target.url());
    });
    browser.on('targetchanged', (target: Target) => {
      if (target.type() === TargetType.PAGE) opened.push(target.url());
    });
    page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 2400 });
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void handle(request);
    });
    await page.goto(preview.url);
    panel = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
    await awaitText(panel, 'Connect once.');
    await panel.evaluate(watchButtons);
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  async function handle(request: HTTPRequest): Promise<void> {
    const bearer = /^Bearer (svc_at_.+)$/.exec(request.headers()['authorization'] ?? '');
    token = bearer?.[1] ?? token;
    const isOurs = request.url().startsWith(service.baseUrl) && request.method() !== 'OPTIONS';
    const answer = isOurs ? between(request.url(), request.method()) : undefined;
    if (answer === undefined) await request.continue();
    else if (answer === 'abort') await request.abort('internetdisconnected');
    else if (answer !== 'hold')
      await request.respond({
        status: answer,
        headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' },
        body: '',
      });
  }

  /** Presses the button of that label, the first within `place`. */
  async function press(label: string, place = 'body'): Promise<void> {
    if (place === 'body') return clickButton(panel, label);
    await panel.waitForFunction(
      (selector, wanted) =>
        [...document.querySelectorAll<HTMLElement>(selector)].some(
          (found) => found.checkVisibility() && found.textContent.trim() === wanted,
        ),
      {},
      buttonsIn(place),
      label,
    );
    const button = await panel.evaluateHandle(
      (selector, wanted) =>
        [...document.querySelectorAll<HTMLElement>(selector)].find(
          (found) => found.checkVisibility() && found.textContent.trim() === wanted,
        ),
      buttonsIn(place),
      label,
    );
    await (button.asElement() as Awaited<ReturnType<Frame['$']>>)?.click();
  }

  const read = (text: string): Promise<void> => awaitText(panel, text);

  async function gone(text: string): Promise<void> {
    await panel.waitForFunction((it) => !document.body.innerText.includes(it), {}, text);
  }

  /** Waits until so many rows say Uploaded: what stands around them moves as they do. */
  async function uploaded(rows: number): Promise<void> {
    const isSo = panel.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll<HTMLElement>('.photo')].filter((row) =>
          row.innerText.includes('Uploaded'),
        ).length === wanted,
      {},
      rows,
    );
    await isSo.catch(async (cause: unknown) => {
      const seen = await panel.evaluate(() => document.body.innerText);
      throw new Error(`Not ${rows} uploaded rows in:\n${seen}`, { cause });
    });
  }

  async function copied(): Promise<string> {
    await read('Copied');
    await page.bringToFront();
    return page.evaluate(() => navigator.clipboard.readText());
  }

  function code(): Promise<string> {
    return panel.$eval('#user-code', (element) => element.textContent.trim());
  }

  async function connect(): Promise<void> {
    await press('Connect');
    await read('Your code');
    await page.bringToFront();
    await approveDevice(service.baseUrl, await code(), service.demo);
    await read('Add photos');
  }

  /** Files of these names: texts, but for those in `photos`. */
  async function file(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  }

  async function photos(...names: string[]): Promise<string[]> {
    const maker = await browser.newPage();
    const plans = names.map((name) => ({ name, size: 200_000 }));
    const made = await makePhotos(maker, folder, plans);
    await maker.close();
    await page.bringToFront();
    return made.map(({ path }) => path);
  }

  async function choose(paths: string[]): Promise<void> {
    const [chooser] = await Promise.all([page.waitForFileChooser(), press('Add photos')]);
    await chooser.accept(paths);
  }

  async function arrived(): Promise<{ id: string; name: string; size: number }[]> {
    const response = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    // Before the plugin's first request there is no token to ask with.
    if (response.status === 401) return [];
    const { uploads } = (await response.json()) as {
      uploads: { id: string; name: string; size: number }[];
    };
    return uploads;
  }

  async function arrives(name: string): Promise<void> {
    for (let tries = 0; tries < 150; tries += 1) {
      if ((await arrived()).some((upload) => upload.name === name && upload.size > 0)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${name} has not arrived; the panel reads:\n${await text()}`);
  }

  function text(): Promise<string> {
    return panel.evaluate(() => document.body.innerText);
  }

  /** Names in the list, in its order. */
  function listed(): Promise<string[]> {
    return panel.$$eval('.photo-name', (names) => names.map((name) => name.textContent));
  }

  /** Waits until a photo is in the list, or no longer. */
  async function lists(name: string, isThere = true): Promise<void> {
    await panel.waitForFunction(
      (wanted, expected) =>
        [...document.querySelectorAll('.photo-name')].some((it) => it.textContent === wanted) ===
        expected,
      {},
      name,
      isThere,
    );
  }

  async function opensPage(pressing: () => Promise<void>, at = '/oauth/device'): Promise<void> {
    // Somebody who is not signed in comes there afterwards.
    const leadsTo = (url: string): boolean =>
      url.startsWith(service.baseUrl) && decodeURIComponent(url).includes(at);
    opened.length = 0;
    await pressing();
    for (let tries = 0; tries < 100; tries += 1) {
      if (opened.some(leadsTo)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(opened.filter(leadsTo)).not.toEqual([]);
    await page.bringToFront();
  }

  const step = story('does what it says, and is pressed');

  step(
    'connects: Connect, Cancel, Open browser, the copies, Spell it out, Show QR code, Get a new code, Check now',
    async () => {
      between = (url) => (url.endsWith('/device_authorization') ? 'hold' : undefined);
      await press('Connect');
      await read('Getting a code');
      await press('Cancel');
      await read('Connect once.');
      between = () => undefined;

      await opensPage(() => press('Connect'));
      await read('Your code');
      const first = await code();
      await press('Copy code');
      expect(await copied()).toBe(first);
      await gone('Copied');
      await press('Copy address');
      expect(await copied()).toContain(`${service.baseUrl}/oauth/device`);
      await press('Spell it out');
      await read(' as in ');
      await press('Close');
      await gone(' as in ');
      await press('Show QR code');
      await panel.waitForSelector('.qr', { visible: true });
      await press('Close');
      await opensPage(() => press('Open browser'));
      await press('Get a new code');
      await panel.waitForFunction(
        (before) => document.getElementById('user-code')?.textContent.trim() !== before,
        {},
        first,
      );
      between = (url) => (url.endsWith('/oauth/token') ? 503 : undefined);
      await read('The plugin keeps trying, and your code stays valid.');
      between = () => undefined;
      await press('Check now');
      await gone('The plugin keeps trying, and your code stays valid.');
      await read('Waiting for you to choose Allow');
      await press('Cancel');
      await read('Connect once.');
      await connect();
    },
  );

  step('uploads the document in the chosen format, and says so when there is none', async () => {
    await press('Upload this document');
    await arrives('Lake at dusk.jpg');
    await uploaded(1);
    await press('Format: JPEG');
    await press('Upload this document');
    await arrives('Lake at dusk.png');
    await uploaded(2);
    await page.evaluate(() => {
      delete window.exportOpenDocument;
    });
    await press('Upload this document');
    await read('CW-803');
    await press('Dismiss');
    await gone('CW-803');
  });

  step(
    'refuses what is empty, holds back what is no photo, and sends it anyway when told to',
    async () => {
      await choose([await file('empty.jpg', '')]);
      await read('CW-601');
      await press('Dismiss');
      await gone('CW-601');

      await choose([await file('one.jpg', 'a text'), await file('two.jpg', 'another')]);
      await read('CW-609');
      await press('Options', '.photo');
      await press('Send anyway', '.photo');
      await arrives('one.jpg');
      expect((await arrived()).some(({ name }) => name === 'two.jpg')).toBe(false);
      await press('Send anyway', '.reason');
      await arrives('two.jpg');

      await choose([await file('three.jpg', 'a third')]);
      await lists('three.jpg');
      await press('Remove this one', '.reason');
      await lists('three.jpg', false);
      await press('Undo');
      await lists('three.jpg');
      await press('Remove this one', '.reason');
      await lists('three.jpg', false);
      await press('Clear what arrived');
      await lists('two.jpg', false);
    },
  );

  step('sets aside what the service holds already: Skip, Send again', async () => {
    const paths = await photos('twice.jpg', 'thrice.jpg', 'often.jpg');
    await choose(paths);
    for (const name of ['twice.jpg', 'thrice.jpg', 'often.jpg']) await arrives(name);
    await press('Clear what arrived');
    await choose(paths);
    await read('3 photos are already in the workspace');
    await press('Options', '.photo');
    await press('Send again', '.photo');
    await read('2 photos are already in the workspace');
    await press('Send again', '.reason');
    await gone('already in the workspace');
    await uploaded(3);
    await press('Clear what arrived');
    await choose(paths.slice(0, 1));
    await read('1 photo is already in the workspace');
    await press('Skip', '.reason');
    await gone('already in the workspace');
  });

  step('pauses, changes the order, removes and goes on', async () => {
    between = (url, method) => (isUpload(url) && method === 'POST' ? 'hold' : undefined);
    await choose(await photos('first.jpg', 'second.jpg', 'third.jpg'));
    await lists('third.jpg');
    await press('Pause');
    await read('Nothing is sent until');
    between = () => undefined;
    await press('Remove all');
    await lists('third.jpg', false);
    await press('Undo');
    await lists('third.jpg');
    await panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'first.jpg',
    );
    await press('Options', '.photo:nth-child(2)');
    await press('Send next', '.photo:nth-child(2)');
    await panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'second.jpg',
    );
    await press('Remove', '.photo');
    await panel.waitForFunction(
      () => document.querySelector('.photo-name')?.textContent === 'first.jpg',
    );
    expect(await listed()).not.toContain('second.jpg');
    await press('Resume');
    await arrives('first.jpg');
    await arrives('third.jpg');
    expect((await arrived()).some(({ name }) => name === 'second.jpg')).toBe(false);
  });

  step('tries again what was refused, and what found no connection', async () => {
    between = (url, method) => (isUpload(url) && method === 'POST' ? 400 : undefined);
    await choose(await photos('refused.jpg', 'refused too.jpg'));
    await read('2 photos were not sent');
    between = () => undefined;
    await press('Options', '.photo');
    await press('Retry', '.photo');
    await arrives('refused.jpg');
    await press('Retry', '.reason');
    await arrives('refused too.jpg');

    between = (url) => (isUpload(url) ? 'abort' : undefined);
    await choose(await photos('offline.jpg'));
    await read('No connection');
    between = () => undefined;
    await press('Try now');
    await arrives('offline.jpg');
  });

  step('remembers what arrived: found by name, copied, shown in the browser, cleared', async () => {
    await press(`Delivered (${(await arrived()).length})`, '.delivered');
    await (await panel.$('sp-textfield'))?.click();
    await page.keyboard.type('REFUSED');
    await panel.waitForFunction(() => document.querySelectorAll('.delivered .photo').length === 2);
    await press('Copy list', '.delivered');
    const receipt = await copied();
    expect(receipt).toContain('Photos delivered: 2 photos');
    expect(receipt).toContain('refused too.jpg');
    await press('Options', '.delivered .photo');
    await gone('Copied');
    await press('Copy link', '.delivered .photo');
    const link = await copied();
    expect((await arrived()).map(({ id }) => `${service.baseUrl}/photos/${id}`)).toContain(link);
    await opensPage(() => press('Show in browser', '.delivered .photo'), new URL(link).pathname);
    await opensPage(() => press('Photos in browser'), '/photos');
    await press('Clear list', '.delivered');
    await gone('Clear list');
  });

  step('stops adding', async () => {
    // As long as this goes on, nothing else is written into the store of copies.
    await panel.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('creative-workspace-spool');
          opening.onerror = () => {
            reject(new Error('the store cannot be opened'));
          };
          opening.onsuccess = () => {
            const store = opening.result.transaction('values', 'readwrite').objectStore('values');
            const hold = (): void => {
              if (document.body.dataset['released'] === undefined) store.count().onsuccess = hold;
            };
            hold();
            resolve();
          };
        }),
    );
    await choose(await photos('unwanted.jpg', 'unwanted too.jpg'));
    await read('Adding photo 1 of 2');
    await press('Cancel');
    await gone('Adding photo');
    await panel.evaluate(() => {
      document.body.dataset['released'] = 'true';
    });
    expect(await listed()).not.toContain('unwanted too.jpg');
  });

  step('asks after Disconnect what becomes of the photos: Send them, Remove them', async () => {
    for (const [name, answer] of [
      ['wanted.jpg', 'Send them'],
      ['no longer.jpg', 'Remove them'],
    ] as const) {
      between = (url, method) => (isUpload(url) && method === 'POST' ? 'hold' : undefined);
      await choose(await photos(name));
      await lists(name);
      await press('Disconnect');
      await press('Cancel', '.notice');
      await lists(name);
      await press('Disconnect');
      await press('Disconnect', '.notice');
      between = () => undefined;
      await connect();
      await read('Send them to this account?');
      await press(answer);
      await gone('Send them to this account?');
      if (answer === 'Send them') await arrives(name);
      else expect(await listed()).not.toContain(name);
    }
    expect((await arrived()).some(({ name }) => name === 'no longer.jpg')).toBe(false);
  });

  step('goes to another account, and stays where it was when that comes to nothing', async () => {
    await press('Help');
    await press('Use another account', '.help');
    await read('Your code');
    await press('Cancel');
    await read('Add photos');
    await press('Use another account', '.help');
    await read('Your code');
    await page.bringToFront();
    await denyDevice(service.baseUrl, await code(), service.demo);
    await press('Dismiss', '.notice');
    await read('Add photos');
    await press('Close', '.help');
    await gone('Plugin ');
  });

  step('helps: Help, Copy diagnostics, Show diagnostics', async () => {
    await press('Help');
    await read('Plugin ');
    await press('Copy diagnostics');
    expect(await copied()).toContain('Session: signed-in');
    await press('Show diagnostics');
    // Selected as it is: the keyboard's own command copies it.
    const selected = await panel.$eval(
      '.help textarea',
      ({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd),
    );
    expect(selected).toContain('Session: signed-in');
    await press('Hide diagnostics');
    await panel.waitForSelector('.help textarea', { hidden: true });
    await press('Close', '.help');
    await gone('Plugin ');
  });

  step('has no button that was not pressed', async () => {
    const { seen, unpressed } = await panel.evaluate(() => window.buttons());
    expect(seen).toBeGreaterThan(20);
    expect(unpressed).toEqual([]);
  });
});

function isUpload(url: string): boolean {
  return url.includes('/api/v1/uploads');
}

function buttonsIn(place: string): string {
  return `${place} sp-button, ${place} sp-action-button`;
}

declare global {
  interface Window {
    /** How many buttons the panel has had so far, and what those say that were never pressed, by where they stand. */
    buttons: () => { seen: number; unpressed: string[] };
  }
}

/**
 * Runs in the panel: follows every button there is or comes, in sight or not. Those of rows, and of reasons, are one for
 * each label.
 */
function watchButtons(): void {
  const seen = new Map<string, Element>();
  const pressed = new Set<string>();
  let count = 0;
  const keys = new WeakMap<Element, string>();
  const keyOf = (button: Element): string => {
    const many = button.closest('.photo, .reason')?.className;
    const known = keys.get(button);
    if (known !== undefined) return known;
    count += 1;
    // What removes the photos of a reason gets its label, with their number, when it is first shown.
    // What tries a row's photo again says what that means for it.
    const label = button.textContent
      .trim()
      .replace(/^$|^Remove th.+/, 'Remove these')
      .replace(/^Send (again|anyway)$/, 'Retry');
    const key = many
      ? `${many}: ${label}`
      : `${count}: ${button.parentElement?.parentElement?.parentElement?.className ?? ''}`;
    keys.set(button, key);
    return key;
  };
  const look = (): void => {
    for (const button of document.querySelectorAll('sp-button, sp-action-button'))
      seen.set(keyOf(button), button);
  };
  document.addEventListener(
    'click',
    ({ target }) => {
      const button =
        target instanceof Element ? target.closest('sp-button, sp-action-button') : null;
      if (button) pressed.add(keyOf(button));
    },
    true,
  );
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
  window.buttons = () => ({
    seen: seen.size,
    unpressed: [...seen]
      .filter(([key]) => !pressed.has(key))
      .map(([key, button]) => `${key} "${button.textContent.trim()}"`),
  });
}
