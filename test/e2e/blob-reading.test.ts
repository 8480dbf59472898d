import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Page } from 'puppeteer-core';
import type * as database from '../../src/host/browser/database.js';
import { startScriptedServer } from '../support/http-server.js';
import { IS_LONG } from '../support/long-runs.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { PATIENCE_MS } from './patience.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** Without a hold on the reader, some read was lost after 45 to 200 photos. */
const PHOTOS = IS_LONG ? 600 : 300;
const BYTES = 6_000;

const cleanUp = new CleanUp();
let page: Page;

beforeAll(async () => {
  const bundled = await build({
    entryPoints: [join(ROOT, 'src', 'host', 'browser', 'database.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'database',
    target: 'es2022',
  });
  const script = bundled.outputFiles[0]?.text ?? '';
  const server = await startScriptedServer();
  server.otherwise({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html>',
  });
  cleanUp.add(() => server.close());
  const browser = await launchBrowser({ args: ['--js-flags=--expose-gc'] });
  cleanUp.add(() => browser.close());
  page = await browser.newPage();
  await page.goto(server.origin);
  await page.evaluate(`${script}; globalThis.database = database;`);
});
afterAll(() => cleanUp.run());

interface InPage {
  readonly database: typeof database;
  readonly gc: () => void;
}

it('copies and reads every photo completely while the browser collects garbage', async () => {
  const counted = await page.evaluate(
    async (photos, bytes, patienceMs) => {
      const { database: inPage, gc } = globalThis as unknown as InPage;
      const spool = inPage.createBrowserSpool({
        now: () => Date.now(),
        startTimer: (delayMs, callback) => {
          const timer = setTimeout(callback, delayMs);
          return () => clearTimeout(timer);
        },
      });
      const countCopy = async (id: string): Promise<number> => {
        let count = 0;
        const copy = await spool.open(id);
        for await (const piece of copy.chunks(0, bytes)) count += piece.length;
        return count;
      };
      const all = async (): Promise<number> => {
        let wholes = 0;
        const copies: Promise<number>[] = [];
        for (let photo = 0; photo < photos; photo += 1) {
          const id = `photo-${photo % 50}`;
          const { crc32c } = await spool.copy(id, new Blob([new Uint8Array(bytes).fill(photo)]));
          if (crc32c !== null) copies.push(countCopy(id));
        }
        for (const count of await Promise.all(copies)) if (count === bytes) wholes += 1;
        return wholes;
      };
      const collecting = setInterval(gc, 3);
      const tooLate = new Promise<string>((resolve) => {
        setTimeout(resolve, patienceMs, 'a read has not ended');
      });
      const result = await Promise.race([all(), tooLate]);
      clearInterval(collecting);
      return result;
    },
    PHOTOS,
    BYTES,
    PATIENCE_MS / 2,
  );
  expect(counted).toBe(PHOTOS);
});
