import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';

import { startPreview, type Preview } from '../../preview/server.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { PATIENCE_MS } from './patience.js';

/** A stand-in for the bundle: its menu opens a file picker, as "Add photos" does. */
const BUNDLE = `
  window.creativeApp.setMenu([
    { id: 'pick', label: 'Pick <b>photos</b>', onSelect: () => Promise.resolve().then(() => {
      const input = document.createElement('input');
      input.type = 'file';
      input.click();
    }) },
    { id: 'note', label: 'Note', onSelect: () => { document.body.textContent += 'noted '; } },
  ]);
`;

const cleanUp = new CleanUp();
let preview: Preview;
let browser: Browser;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'panel-menu-'));
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html><head></head><body><script src="main.js"></script></body></html>',
  );
  await writeFile(join(folder, 'main.js'), BUNDLE);
  preview = await startPreview({ port: 0, distDir: folder });
  cleanUp.add(() => preview.close());
  browser = await launchBrowser();
  cleanUp.add(() => browser.close());
});

afterAll(async () => {
  await cleanUp.run();
});

it('shows the plugin’s menu in the panel header and runs the chosen command', async () => {
  const page = await browser.newPage();
  await page.goto(preview.url);
  const open = async (): Promise<string[]> => {
    await page.click('#panel-menu:enabled');
    return page.$$eval('#panel-menu-list:not([hidden]) [role=menuitem]', (items) =>
      items.map((item) => item.textContent),
    );
  };
  const isOpen = async (): Promise<boolean> =>
    (await page.$('#panel-menu-list:not([hidden])')) !== null;
  await page.waitForSelector('#panel-menu:enabled');

  expect(await isOpen()).toBe(false);
  // Labels are text, with any content.
  expect(await open()).toEqual(['Pick <b>photos</b>', 'Note']);

  // A click on the app's page counts as the user's wish in the panel, too: browsers open pickers only then.
  await Promise.all([
    page.waitForFileChooser({ timeout: PATIENCE_MS }),
    page.click('#panel-menu-list button:nth-child(1)'),
  ]);
  expect(await isOpen()).toBe(false);

  await open();
  await page.click('#panel-menu-list button:nth-child(2)');
  const panel = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
  expect(await panel.evaluate(() => document.body.textContent.trim())).toBe('noted');

  await open();
  await page.keyboard.press('Escape');
  expect(await isOpen()).toBe(false);
  await open();
  await page.click('#desk');
  expect(await isOpen()).toBe(false);

  await page.click('#toggle');
  await page.waitForSelector('#panel-menu:disabled');
  await page.click('#toggle');
  await page.waitForSelector('#panel-menu:enabled');
});
