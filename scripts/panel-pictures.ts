import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';

import type { RunningService } from '../service/start.js';
import { awaitText, chooseFiles, clickButton } from '../test/e2e/click.js';
import { makePhotos } from '../test/e2e/photos.js';
import { approveDevice, denyDevice } from '../test/service/support/browser-client.js';

/** The parameters of {@link takePanelPictures}. */
export interface PictureSettings {
  readonly browser: Browser;
  /** Address of the preview, ending with a slash. */
  readonly previewUrl: string;
  readonly service: RunningService;
  /** Existing folder for photos that are made to be uploaded. */
  readonly folder: string;
  /** Existing folder for the pictures. */
  readonly images: string;
}

/** The answer that a request gets instead of the service's; `undefined` lets the request through. */
type Answer = 'abort' | { readonly status: number; readonly body?: string } | undefined;

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Expose-Headers': '*',
};

/**
 * Takes a picture of the panel in each situation that the support guide explains, with the real bundle and a real
 * service.
 * @returns the names of the pictures
 */
export async function takePanelPictures(settings: PictureSettings): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const tell of STORIES) {
    // A new browser context each time: a plugin without data.
    const context = await settings.browser.createBrowserContext();
    try {
      const page = await context.newPage();
      await tell(new Story(page, settings, taken));
    } finally {
      await context.close();
    }
  }
  return taken;
}

/** The actions of one user in one panel. */
class Story {
  #answer: (url: string, method: string) => Answer = () => undefined;

  constructor(
    readonly page: Page,
    readonly settings: PictureSettings,
    readonly taken: string[],
  ) {}

  async open(): Promise<void> {
    const { page } = this;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      void this.#handle(request);
    });
    await this.load();
    await awaitText(page, 'Connect once.');
  }

  /** Loads the panel, without intercepting its requests. */
  async load(): Promise<void> {
    await this.page.setViewport({ width: 300, height: 700, deviceScaleFactor: 1 });
    await this.page.goto(`${this.settings.previewUrl}panel/?theme=darkest&width=300`);
  }

  /** From now on, this answers requests instead of the service. */
  between(answer: (url: string, method: string) => Answer): void {
    this.#answer = answer;
  }

  async #handle(request: HTTPRequest): Promise<void> {
    const toService = request.url().startsWith(this.settings.service.baseUrl);
    const answer =
      toService && request.method() !== 'OPTIONS'
        ? this.#answer(request.url(), request.method())
        : undefined;
    if (answer === undefined) {
      await request.continue();
    } else if (answer === 'abort') {
      await request.abort('internetdisconnected');
    } else {
      await request.respond({
        status: answer.status,
        headers: CORS,
        contentType: 'application/json',
        body: answer.body ?? '',
      });
    }
  }

  click(label: string): Promise<void> {
    return clickButton(this.page, label);
  }

  read(text: string): Promise<void> {
    return awaitText(this.page, text, 30_000);
  }

  async code(): Promise<string> {
    await this.click('Connect');
    await this.read('Your code');
    return this.page.$eval('#user-code', (element) => element.textContent);
  }

  async connect(): Promise<void> {
    const { service } = this.settings;
    await approveDevice(service.baseUrl, await this.code(), service.demo);
    await this.read('Connected');
  }

  async addPhotos(...names: string[]): Promise<void> {
    const maker = await this.settings.browser.newPage();
    const photos = await makePhotos(
      maker,
      this.settings.folder,
      names.map((name, index) => ({ name, size: 400_000 + 150_000 * index })),
    );
    await maker.close();
    await this.choose(photos.map(({ path }) => path));
  }

  /** Adds existing files. */
  async choose(paths: string[]): Promise<void> {
    await this.page.bringToFront();
    await chooseFiles(this.page, paths, () => this.click('Add photos'));
  }

  /** Limits uploads to this speed. */
  async slow(bytesPerSecond: number): Promise<void> {
    await this.page.emulateNetworkConditions({
      upload: bytesPerSecond,
      download: -1,
      latency: 0,
    });
  }

  /** From now on, the page's storage fails as if the disk were full. */
  async fillDisk(): Promise<void> {
    await this.page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('The disk is full.', 'QuotaExceededError');
      };
    });
  }

  /** Takes a picture of the whole content of the panel. */
  async picture(name: string): Promise<void> {
    await this.page.mouse.move(0, 0); // otherwise a button may be drawn as hovered
    // The panel is as high as its window and scrolls inside, so the window grows until there is nothing to scroll.
    let height = 420;
    for (let round = 0; round < 5; round += 1) {
      await this.page.setViewport({ width: 300, height, deviceScaleFactor: 1 });
      const hidden = await this.page.$$eval('.view, .scroll, .help-inside', (parts) =>
        parts.map((part) => part.scrollHeight - part.clientHeight),
      );
      if (Math.max(...hidden) <= 0) {
        break;
      }
      height += Math.max(...hidden);
    }
    await this.page.screenshot({ path: join(this.settings.images, `${name}.png`) });
    await this.page.setViewport({ width: 300, height: 700, deviceScaleFactor: 1 });
    this.taken.push(name);
  }
}

/**
 * Runs in the page before the plugin: simulates as much of UXP as the plugin reads before it reports that UXP is too old.
 * It is a string, because the tool that compiles this script adds calls to functions that the page does not have.
 */
const OLD_UXP = `
  const uxp = {
    host: { name: 'Photoshop', version: '25.0.0', uiLocale: 'en_US' },
    versions: { uxp: '7.3.0', plugin: '0.1.0' },
    storage: { secureStorage: {}, localFileSystem: {}, formats: {} },
    shell: {},
    entrypoints: {
      setup: ({ panels }) => Object.values(panels).forEach(({ create }) => create(document.body)),
    },
  };
  const fs = {
    readFileSync(path) {
      const request = new XMLHttpRequest();
      request.open('GET', path.replace('plugin:/', './'), false);
      request.send();
      return request.responseText;
    },
  };
  const scriptAt = (path) => {
    const module = { exports: {} };
    new Function('module', 'exports', fs.readFileSync(path))(module, module.exports);
    return module.exports;
  };
  window.require = (name) =>
    name.endsWith('.js') ? scriptAt(name) : (({ uxp, fs, photoshop: { action: {} } })[name] ?? {});
`;

const isUpload = (url: string): boolean => url.includes('/api/v1/uploads');
const isToken = (url: string): boolean => url.endsWith('/api/oauth/token');

const STORIES: readonly ((story: Story) => Promise<void>)[] = [
  async (story) => {
    await story.open();
    await story.picture('panel-not-connected');
    const code = await story.code();
    await story.picture('panel-your-code');
    await story.click('Trouble opening the page?');
    await story.click('Spell it out');
    await story.picture('panel-code-spelled');
    await story.click('Spell it out');
    await story.click('Show QR code');
    await story.picture('panel-code-qr');
    const { service } = story.settings;
    await approveDevice(service.baseUrl, code, service.demo);
    await story.read('You are connected');
    await story.picture('panel-connected');
    await story.click('Help');
    await story.picture('panel-help');
    await story.click('Help');
    story.between((url) => (isUpload(url) ? 'abort' : undefined));
    await story.addPhotos('IMG_0412.jpg', 'IMG_0413.jpg', 'IMG_0414.jpg');
    await story.read('No connection');
    await story.picture('panel-offline');
    await story.click('Pause');
    await story.read('Paused');
    await story.picture('panel-paused');
    story.between(() => undefined);
    await story.click('Resume');
    await story.read('3 files uploaded');
    await story.picture('panel-arrived');
    await story.click('List options');
    await story.click('Clear uploaded');
    await story.click('3 earlier uploads');
    await story.picture('panel-delivered');
  },
  async (story) => {
    await story.open();
    const { service } = story.settings;
    await denyDevice(service.baseUrl, await story.code(), service.demo);
    await story.read('CW-103');
    await story.picture('panel-denied');
  },
  async (story) => {
    await story.open();
    story.between((url) =>
      isToken(url) ? { status: 400, body: '{"error":"expired_token"}' } : undefined,
    );
    await story.code();
    await story.read('CW-102');
    await story.picture('panel-expired');
  },
  async (story) => {
    await story.open();
    await story.connect();
    story.between((url, method) =>
      isUpload(url) && method === 'POST' ? { status: 413 } : undefined,
    );
    await story.addPhotos('Panorama.jpg', 'IMG_0420.jpg');
    await story.click('2 files need attention');
    await story.picture('panel-failed');
  },
  async (story) => {
    await story.open();
    await story.connect();
    story.between((url, method) =>
      isUpload(url) && method === 'POST' ? { status: 503 } : undefined,
    );
    await story.addPhotos('IMG_0430.jpg', 'IMG_0431.jpg');
    await story.read('The service has problems');
    await story.picture('panel-trouble');
    await story.click('Account menu');
    await story.click('Disconnect');
    await story.read('2 files are not uploaded yet');
    await story.click('Disconnect');
    await story.read('2 files are safe here');
    await story.connect();
    await story.read('Upload to this account?');
    await story.picture('panel-question');
  },
  async (story) => {
    await story.open();
    await story.connect();
    // The responses of a service after the user removed the plugin from the connected apps.
    story.between((url) => {
      if (isUpload(url)) {
        return { status: 401 };
      }
      return isToken(url) ? { status: 400, body: '{"error":"invalid_grant"}' } : undefined;
    });
    await story.addPhotos('IMG_0440.jpg', 'IMG_0441.jpg');
    await story.read('Please reconnect');
    await story.picture('panel-reconnect');
  },
  async (story) => {
    await story.open();
    await story.connect();
    await story.slow(250_000);
    await story.addPhotos('IMG_0450.jpg', 'IMG_0451.jpg', 'IMG_0452.jpg', 'IMG_0453.jpg');
    await story.read('about');
    await story.picture('panel-uploading');
  },
  async (story) => {
    await story.open();
    await story.connect();
    const empty = join(story.settings.folder, 'IMG_0460.jpg');
    await writeFile(empty, '');
    await story.choose([empty]);
    await story.click('1 file needs attention');
    await story.read('CW-601');
    await story.picture('panel-refused');
  },
  async (story) => {
    await story.open();
    await story.connect();
    await story.fillDisk();
    await story.addPhotos('IMG_0470.jpg');
    await story.click('1 file needs attention');
    await story.read('CW-703');
    await story.picture('panel-storage-full');
  },
  async (story) => {
    await story.open();
    await story.connect();
    const newer = await story.page.browserContext().newPage();
    await newer.goto(story.page.url());
    await awaitText(newer, 'Connected');
    await story.addPhotos('IMG_0480.jpg');
    await story.read('CW-704');
    await story.picture('panel-second-panel');
  },
  async (story) => {
    await story.open();
    await story.code();
    await story.page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('The clipboard is locked.'));
    });
    await story.click('Copy code');
    await story.read('CW-801');
    await story.picture('panel-not-copied');
  },
  async (story) => {
    // It runs the second script as a text.
    await story.page.setBypassCSP(true);
    await story.page.evaluateOnNewDocument(OLD_UXP);
    await story.load();
    await story.read('CW-806');
    await story.picture('panel-too-old');
  },
];
