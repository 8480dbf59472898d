import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';

import { IS_LONG } from '../support/long-runs.js';
import { launchBrowser } from './browser.js';
import { unpackChromium } from './chromium-pack.js';

const run = promisify(execFile);
const packed =
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  process.env['CHROME_PATH'] === undefined;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('launchBrowser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
  });

  it('renders text with a real font, also where the machine has none', async () => {
    const page = await browser.newPage();
    await page.setContent('<p><span id="w">MMMM</span><span id="n">iiii</span></p>');
    const width = (id: string) =>
      page.$eval(`#${id}`, (element) => element.getBoundingClientRect().width);
    // In a proportional font M and i differ; missing glyphs would all be one box, or empty.
    expect(await width('w')).toBeGreaterThan(2 * (await width('n')));
    expect(await width('n')).toBeGreaterThan(0);
  });

  it('survives a page with a large canvas', async () => {
    const page = await browser.newPage();
    const bytes = await page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 4000;
      canvas.getContext('2d')?.fillRect(0, 0, 4000, 4000);
      return (await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg')))
        ?.size;
    });
    expect(bytes).toBeGreaterThan(10_000);
  });

  it('leaves no browser behind when the process that started it is killed', async () => {
    const starter = fork(join(import.meta.dirname, 'browser-process.ts'), {
      execArgv: ['--import', 'tsx'],
    });
    const [pid] = (await once(starter, 'message')) as [number];
    expect(isAlive(pid)).toBe(true);
    starter.kill('SIGKILL');
    // The time limit of the test is the only one.
    while (isAlive(pid)) await wait(50);
  });
});

(packed ? describe : describe.skip)('unpackChromium', () => {
  it('adds the libraries that a bare Linux lacks to the front of the search path', async () => {
    const { executablePath, env } = await unpackChromium();
    const { stdout } = await run('ldd', [executablePath], { env: { ...process.env, ...env } });
    expect(stdout).not.toContain('not found');
    for (const library of ['libnss3.so', 'libnspr4.so', 'libnssutil3.so', 'libexpat.so.1']) {
      expect(stdout).toMatch(new RegExp(`${library.replaceAll('.', '\\.')} => .*/al2023/lib/`));
    }
  });

  // Only with TEST_SCALE=2: it unpacks the whole browser twice.
  if (!IS_LONG) return;

  it('two workers can unpack the browser at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unpack-test-'));
    try {
      const [one, two] = await Promise.all([unpackChromium(folder), unpackChromium(folder)]);
      expect(one.executablePath).toBe(two.executablePath);
      expect(one.executablePath.startsWith(folder)).toBe(true);
      const { stdout } = await run(one.executablePath, ['--version'], {
        env: { ...process.env, ...one.env },
      });
      expect(stdout).toMatch(/^(Chromium|HeadlessChrome|Google Chrome) [\d.]+/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
