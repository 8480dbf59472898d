import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Browser } from 'puppeteer-core';

import type { PathName } from './page.js';
import type { Destination } from './paths/upload-path.js';

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Upload</title>
<link rel="stylesheet" href="panel.css"></head>
<body><input type="file" multiple><script src="page.js"></script></body></html>`;

export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/**
 * Opens a new page on the service's own origin, uploads files by one path, and closes the page. On this origin no path
 * needs preflight requests, as in the plugin's real host. Returns milliseconds.
 */
export async function measureInPage(
  browser: Browser,
  page: PageFiles,
  files: readonly string[],
  path: PathName,
  to: Destination,
): Promise<number> {
  const tab = await browser.newPage();
  try {
    const problems: string[] = [];
    tab.on('pageerror', (error) => problems.push(String(error)));
    const cdp = await tab.createCDPSession();
    const bodies: Readonly<Record<string, readonly [type: string, body: string]>> = {
      '/bench/': ['text/html', PAGE],
      '/bench/page.js': ['text/javascript', page.script],
      '/bench/panel.css': ['text/css', page.style],
    };
    cdp.on('Fetch.requestPaused', ({ requestId, request }) => {
      const [type, body] = bodies[new URL(request.url).pathname] ?? ['text/plain', ''];
      void cdp.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: 200,
        responseHeaders: [{ name: 'Content-Type', value: `${type}; charset=utf-8` }],
        body: Buffer.from(body).toString('base64'),
      });
    });
    await cdp.send('Fetch.enable', { patterns: [{ urlPattern: `${to.baseUrl}/bench/*` }] });
    await tab.goto(`${to.baseUrl}/bench/`, { waitUntil: 'load' });
    // The uploads themselves pass no debugger.
    await cdp.send('Fetch.disable');
    await cdp.detach();
    const input = await tab.waitForSelector('input');
    if (!input) {
      throw new Error('the page has no input');
    }
    await input.uploadFile(...files);
    await tab.evaluate(
      (name, destination) => globalThis.prepareUpload(name, destination),
      path,
      to,
    );
    // What getting ready wrote, and what earlier ways did, must not be written at this one's expense.
    await promisify(execFile)('sync');
    const ms = await tab.evaluate(() => globalThis.measureUpload());
    if (problems.length > 0) {
      throw new Error(problems.join(' | '));
    }
    return ms;
  } finally {
    await tab.close();
  }
}
