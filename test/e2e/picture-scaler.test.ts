import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Page } from 'puppeteer-core';
import type * as scaler from '../../src/host/browser/picture-scaler.js';
import { startScriptedServer } from '../support/http-server.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';

const ROOT = join(import.meta.dirname, '..', '..');

const cleanUp = new CleanUp();
let page: Page;

beforeAll(async () => {
  const bundled = await build({
    entryPoints: [join(ROOT, 'src', 'host', 'browser', 'picture-scaler.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'scaler',
    target: 'es2022',
  });
  const server = await startScriptedServer();
  server.otherwise({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html>',
  });
  cleanUp.add(() => server.close());
  const browser = await launchBrowser();
  cleanUp.add(() => browser.close());
  page = await browser.newPage();
  await page.goto(server.origin);
  await page.evaluate(`${bundled.outputFiles[0]?.text ?? ''}; globalThis.scaler = scaler;`);
});
afterAll(() => cleanUp.run());

/** Sides and type of the thumbnail that a browser makes of a PNG with these sides, or of no picture. */
function scaled(width: number, height: number): Promise<string | null> {
  return page.evaluate(
    async (w, h) => {
      const { createPictureScaler } = (globalThis as unknown as { scaler: typeof scaler }).scaler;
      const port = createPictureScaler({
        createImageBitmap: (blob, options) => createImageBitmap(blob, { ...options }),
        OffscreenCanvas: OffscreenCanvas as never,
      });
      const canvas = new OffscreenCanvas(Math.max(w, 1), Math.max(h, 1));
      canvas.getContext('2d')?.fillRect(0, 0, w, h);
      const picture = w > 0 ? await canvas.convertToBlob() : new Blob(['no picture']);
      const url = await port.scale(await picture.arrayBuffer(), 240);
      if (url === null) return null;
      const thumbnail = await (await fetch(url)).blob();
      const bitmap = await createImageBitmap(thumbnail);
      return `${thumbnail.type} ${bitmap.width} x ${bitmap.height}`;
    },
    width,
    height,
  );
}

it.each([
  [960, 320, 'image/jpeg 240 x 80'],
  [320, 960, 'image/jpeg 80 x 240'],
  [3, 900, 'image/jpeg 1 x 240'],
  [0, 0, null],
])('scales a picture of %d x %d pixels to %s', async (width, height, expected) => {
  expect(await scaled(width, height)).toBe(expected);
});
