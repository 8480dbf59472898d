import puppeteer, { type Browser } from 'puppeteer-core';

import { unpackChromium } from './chromium-pack.js';
import { PATIENCE_MS } from './patience.js';

export interface LaunchOptions {
  /** Size of new pages in CSS pixels; 1280 by 800 by default. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Further command line flags. */
  readonly args?: readonly string[];
  /** How long one call into a page may take, in milliseconds; 0 for no limit, 180,000 by default. */
  readonly protocolTimeout?: number;
}

// Not the flags the Chromium package recommends: its single-process mode crashes on large pages, and it
// switches web security off, which would hide mistakes that a real browser punishes.
const FLAGS = [
  '--no-sandbox', // tests run as root in containers; they open pages of our own only
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-quic',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a real Chromium without a window, with a new temporary profile that is removed on `close()`.
 *
 * It is controlled over a pipe, and exits when the other end closes: also when this process is
 * killed and can clean up nothing.
 *
 * The program is: the one named by the environment variable CHROME_PATH; else, on Linux x64, the one carried by
 * `@sparticuz/chromium`; else the Chrome installed on this machine.
 *
 * @throws Error when there is no browser to start.
 */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const browser = await launch(options);
  browser.on('targetcreated', (target) => {
    // A page that is gone again before it is known is waited for by nobody.
    void target.page().then(
      (page) => page?.setDefaultTimeout(PATIENCE_MS),
      () => undefined,
    );
  });
  return browser;
}

async function launch(options: LaunchOptions): Promise<Browser> {
  const common = {
    pipe: true,
    ...(options.protocolTimeout !== undefined && { protocolTimeout: options.protocolTimeout }),
    args: [...FLAGS, ...(options.args ?? [])],
    defaultViewport: options.viewport ?? { width: 1280, height: 800 },
  };
  const chromePath = process.env['CHROME_PATH'];
  if (chromePath !== undefined && chromePath !== '') {
    return puppeteer.launch({ ...common, executablePath: chromePath, headless: true });
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { executablePath, env } = await unpackChromium();
    return puppeteer.launch({ ...common, executablePath, env, headless: 'shell' });
  }
  return puppeteer.launch({ ...common, channel: 'chrome', headless: true });
}
