import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { TargetType, type Frame, type HTTPRequest, type Page, type Target } from 'puppeteer-core';
import { approveDevice } from '../service/support/browser-client.js';
import { awaitText, chooseFiles, clickButton, clickUntilPressed } from './click.js';
import { makePhotos } from './photos.js';
import type { RunningProduct } from './running-product.js';
import { becomes, POLLING_MS } from './patience.js';

/** What happens to a request in between: it is lost, or gets this status, or 400 with this body. */
type Between = 'abort' | 'hold' | number | Readonly<Record<string, unknown>>;

/** Somebody at the panel in the preview: presses, reads, picks files, and sees what the service has got of it. */
export class PanelPerson {
  /** What is between the plugin and the service. */
  between: (url: string, method: string) => Between | undefined = () => undefined;
  /** Where the plugin has asked the browser to go. */
  private readonly opened: string[] = [];
  private token = '';
  /** The page that makes photos. */
  private maker: Page | undefined;

  private constructor(
    private readonly product: RunningProduct,
    readonly page: Page,
    private frame: Frame | undefined,
  ) {}

  get panel(): Frame {
    if (!this.frame) throw new Error('the panel is not open');
    return this.frame;
  }

  /** Opens the preview and waits until the panel offers to connect. */
  static async open(product: RunningProduct): Promise<PanelPerson> {
    const { browser, preview } = product;
    for (const name of ['clipboard-read', 'clipboard-write'])
      await browser.defaultBrowserContext().setPermission(new URL(preview.url).origin, {
        permission: { name },
        state: 'granted',
      });
    const page = await browser.newPage();
    const person = new PanelPerson(product, page, undefined);
    const note = (target: Target): void => {
      if (target.type() === TargetType.PAGE) person.opened.push(target.url());
    };
    browser.on('targetcreated', note);
    browser.on('targetchanged', note);
    await page.setViewport({ width: 1280, height: 2400 });
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void person.handle(request);
    });
    await page.goto(preview.url);
    person.frame = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
    await person.read('Connect once.');
    return person;
  }

  /** Opens the panel again, as after a restart of the app. */
  async reload(): Promise<void> {
    await this.page.reload();
    this.frame = await this.page.waitForFrame((frame) => frame.url().includes('/panel/'));
    await this.read('Add photos');
  }

  /** Presses the button of that label, the first within `place`. */
  async press(label: string, place = 'body'): Promise<void> {
    if (place === 'body') return clickButton(this.panel, label);
    await clickUntilPressed(label, () =>
      this.panel.waitForFunction(
        (selector, wanted) =>
          [...document.querySelectorAll<HTMLElement>(selector)].find(
            (found) =>
              found.checkVisibility() &&
              // An entry of a menu may have a detail behind its label.
              (found.querySelector('.entry-label') ?? found).textContent.trim() === wanted,
          ),
        { polling: POLLING_MS },
        buttonsIn(place),
        label,
      ),
    );
  }

  /** Chooses an entry of a menu. @param place  the element in which the control `opener` is */
  async pick(opener: string, entry: string, place = 'body'): Promise<void> {
    await this.press(opener, place);
    await this.press(entry, '.popover');
  }

  read(text: string): Promise<void> {
    return awaitText(this.panel, text);
  }

  async gone(text: string): Promise<void> {
    await this.panel.waitForFunction(
      (it) => !document.body.innerText.includes(it),
      { polling: POLLING_MS },
      text,
    );
  }

  /** Waits until so many rows show Uploaded: what is around them moves as they do. */
  async uploaded(rows: number): Promise<void> {
    const isSo = this.panel.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll<HTMLElement>('.photo')].filter((row) =>
          row.innerText.includes('Uploaded'),
        ).length === wanted,
      { polling: POLLING_MS },
      rows,
    );
    await isSo.catch(async (cause: unknown) => {
      throw new Error(`Not ${rows} uploaded rows in:\n${await this.text()}`, { cause });
    });
  }

  /** Waits until the panel, too, shows that all it lists has arrived. */
  async uploadedAll(): Promise<void> {
    await this.panel.waitForFunction(
      () =>
        [...document.querySelectorAll<HTMLElement>('.photo')].every((row) =>
          row.innerText.includes('Uploaded'),
        ),
      { polling: POLLING_MS },
    );
  }

  async copied(): Promise<string> {
    await this.read('Copied');
    await this.page.bringToFront();
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  code(): Promise<string> {
    return this.panel.$eval('#user-code', (element) => element.textContent.trim());
  }

  async connect(): Promise<void> {
    await this.press('Connect');
    await this.allow();
  }

  /** Allows in the browser what the panel shows a code for. */
  async allow(): Promise<void> {
    await this.read('Your code');
    await this.page.bringToFront();
    await approveDevice(this.product.service.baseUrl, await this.code(), this.product.service.demo);
    await this.gone('Your code');
  }

  /** Files of these names: texts, except those in `photos`. */
  async file(name: string, text: string): Promise<string> {
    const path = join(this.product.folder, name);
    await writeFile(path, text);
    return path;
  }

  async photos(...names: string[]): Promise<string[]> {
    this.maker ??= await this.product.browser.newPage();
    const plans = names.map((name) => ({ name, size: 200_000 }));
    const made = await makePhotos(this.maker, this.product.folder, plans);
    await this.page.bringToFront();
    return made.map(({ path }) => path);
  }

  choose(paths: readonly string[]): Promise<void> {
    return chooseFiles(this.page, paths, () => this.press('Add photos'));
  }

  async arrived(): Promise<{ id: string; name: string; size: number }[]> {
    const response = await fetch(`${this.product.service.baseUrl}/api/v1/uploads`, {
      headers: { Authorization: `Bearer ${this.token}` },
    });
    // Before the plugin's first request there is no token to ask with.
    if (response.status === 401) return [];
    const { uploads } = (await response.json()) as {
      uploads: { id: string; name: string; size: number }[];
    };
    return uploads;
  }

  async arrives(name: string): Promise<void> {
    const isThere = await becomes(async () =>
      (await this.arrived()).some((upload) => upload.name === name && upload.size > 0),
    );
    if (!isThere)
      throw new Error(`${name} has not arrived; the panel reads:\n${await this.text()}`);
  }

  private text(): Promise<string> {
    return this.panel.evaluate(() => document.body.innerText);
  }

  /** Names in the list, in its order. */
  listed(): Promise<string[]> {
    return this.panel.$$eval('.photo-name', (names) => names.map((name) => name.textContent));
  }

  /** Waits until a photo is in the list, or no longer. */
  async lists(name: string, isThere = true): Promise<void> {
    await this.panel.waitForFunction(
      (wanted, expected) =>
        [...document.querySelectorAll('.photo-name')].some((it) => it.textContent === wanted) ===
        expected,
      { polling: POLLING_MS },
      name,
      isThere,
    );
  }

  async opensPage(pressing: () => Promise<void>, at = '/oauth/device'): Promise<void> {
    // Somebody who is not signed in comes there afterwards.
    const leadsTo = (url: string): boolean =>
      url.startsWith(this.product.service.baseUrl) && decodeURIComponent(url).includes(at);
    this.opened.length = 0;
    await pressing();
    await becomes(() => this.opened.some(leadsTo));
    expect(this.opened.filter(leadsTo)).not.toEqual([]);
    await this.page.bringToFront();
  }

  private async handle(request: HTTPRequest): Promise<void> {
    const bearer = /^Bearer (svc_at_.+)$/.exec(request.headers()['authorization'] ?? '');
    this.token = bearer?.[1] ?? this.token;
    const isOurs =
      request.url().startsWith(this.product.service.baseUrl) && request.method() !== 'OPTIONS';
    const answer = isOurs ? this.between(request.url(), request.method()) : undefined;
    if (answer === undefined) await request.continue();
    else if (answer === 'abort') await request.abort('internetdisconnected');
    else if (answer !== 'hold')
      await request.respond({
        status: typeof answer === 'number' ? answer : 400,
        headers: {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': '*',
          'Tus-Resumable': '1.0.0',
        },
        body: typeof answer === 'number' ? '' : JSON.stringify(answer),
      });
  }
}

function buttonsIn(place: string): string {
  return `${place} sp-button, ${place} sp-action-button, ${place} .control`;
}
