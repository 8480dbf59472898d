import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';

import { DEMO_ACCOUNT } from '../service/identity/accounts/demo.js';
import { launchBrowser } from '../test/e2e/browser.js';
import { send } from '../test/service/support/users.js';
import { pdf } from '../test/support/pdf.js';
import type { BenchOptions } from './options.js';
import { buildRelease, startRelease } from './release.js';
import { report, versionOf } from './report.js';
import { median, quantile } from './statistics.js';

const PAGES = 100;
const PICTURES = 10;
/** How many pages are turned one by one, and how many of the others are chosen in the strip. */
const TURNS = 20;
const JUMPS = 10;
const JUMP_PAGES = 7;

/** What one reader of the document waits for, in milliseconds. */
interface Read {
  readonly first: number;
  /** To pages that somebody has looked at before, by the arrow and by the strip. */
  readonly turns: readonly number[];
  readonly jumps: readonly number[];
}

/** How long a reader of a document of 100 pages waits for the first page, and for the next ones. */
export async function documents(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-documents-'));
  const browser = await launchBrowser();
  const running = await startRelease(buildRelease(), { dataDir });
  try {
    const { accessToken } = await running.connect();
    const bytes = await brochure();
    const page = await signedIn(browser, running.ownUrl);
    const sentAt = performance.now();
    const id = await send({ baseUrl: running.ownUrl }, accessToken, 'Brochure.pdf', bytes);
    const address = `${running.ownUrl}/photos/${id}`;
    const madeMs = (await untilMade(page, address)) - sentAt;
    // The first reader waits while pages are made.
    await openDocument(page, address);
    const making: number[] = [];
    for (let number = 2; number <= PAGES; number += 1) {
      making.push(await turn(page, 'a[data-turn="next"]'));
    }
    const reads: Read[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      await page.setCacheEnabled(false);
      const first = await openDocument(page, address);
      await page.setCacheEnabled(true);
      const turns: number[] = [];
      for (let count = 0; count < TURNS; count += 1) {
        turns.push(await turn(page, 'a[data-turn="next"]'));
      }
      const jumps: number[] = [];
      for (let count = 1; count <= JUMPS; count += 1) {
        const number = ((round + 1) * 31 + count * JUMP_PAGES) % PAGES;
        jumps.push(await turn(page, `nav.pages a[data-page="${number + 1}"]`));
      }
      reads.push({ first, turns, jumps });
    }
    const row = (name: string, found: readonly number[]): string[] => [
      name,
      String(found.length),
      ...[median(found), quantile(found, 0.95), Math.max(...found)].map((ms) => ms.toFixed(0)),
    ];
    report(
      {
        part: 'documents',
        tables: [
          {
            title: `A document of ${PAGES} pages, ms until the page is visible`,
            columns: ['What', 'Times', 'p50', 'p95', 'Longest'],
            rows: [
              row('the first page, after its upload', [madeMs]),
              row(
                'the first page, by opening the document',
                reads.map(({ first }) => first),
              ),
              row('the next page, nobody has looked at it before', making),
              row(
                'the next page',
                reads.flatMap(({ turns }) => turns),
              ),
              row(
                'another page, by the strip',
                reads.flatMap(({ jumps }) => jumps),
              ),
            ],
          },
        ],
        processes: [running.measured],
        measurements: { madeMs, making, reads },
        notes: [
          `A4 with text in two columns and a photo, ${(bytes.length / 1e6).toFixed(1)} MB. 1280 × 900 px.`,
          'Service and browser share the machine.',
        ],
        versions: { Chromium: versionOf('@sparticuz/chromium') },
      },
      startedAt,
    );
  } finally {
    await browser.close();
    await running.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Pages with two columns of text and one of a few photos. */
async function brochure(): Promise<Uint8Array<ArrayBuffer>> {
  const photos = await Promise.all(
    Array.from({ length: PICTURES }, async (_, index) => {
      const noise = { type: 'gaussian', mean: 90 + 10 * index, sigma: 40 } as const;
      const jpeg = await sharp({
        create: { width: 1200, height: 800, channels: 3, background: '#888', noise },
      })
        .blur(3)
        .jpeg({ quality: 85 })
        .toBuffer();
      const dictionary =
        '/Type /XObject /Subtype /Image /Width 1200 /Height 800 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode';
      return [dictionary, jpeg] as const;
    }),
  );
  const line = 'The quick brown fox jumps over the lazy dog';
  const column = (number: number, left: number): string =>
    Array.from(
      { length: 40 },
      (_, row) => `BT /F1 10 Tf ${left} ${480 - row * 11} Td (${number}.${row} ${line}) Tj ET`,
    ).join('\n');
  const pages = Array.from({ length: PAGES }, (_, index) => ({
    entries: `/MediaBox [0 0 595 842] /Resources << /Font << /F1 100 0 R >> /XObject << /P ${101 + (index % PICTURES)} 0 R >> >>`,
    content: `q 515 0 0 300 40 500 cm /P Do Q\n${column(index + 1, 40)}\n${column(index + 1, 305)}`,
  }));
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  return new Uint8Array(pdf({ pages, objects: [font, ...photos] }));
}

async function signedIn(browser: Browser, baseUrl: string): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  // The compiler of this program keeps the names of functions by it.
  await page.evaluateOnNewDocument('globalThis.__name = (one) => one');
  await page.goto(`${baseUrl}/photos`);
  await page.type('input[name="username"]', DEMO_ACCOUNT.username);
  await page.type('input[name="password"]', DEMO_ACCOUNT.password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  return page;
}

/** @returns when the first page had its picture */
async function untilMade(page: Page, address: string): Promise<number> {
  for (;;) {
    const isMade = await page.evaluate(async (preview) => {
      const answer = await fetch(preview);
      return answer.headers.get('content-type') === 'image/webp';
    }, `${address}/preview`);
    if (isMade) {
      return performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @returns how long it took until the first page was painted */
async function openDocument(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  const ms = await page.evaluate(async () => {
    const image = document.querySelector<HTMLImageElement>('.frame .picture img');
    await image?.decode();
    await new Promise(requestAnimationFrame);
    return performance.now();
  });
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return ms;
}

/** @returns how long it took from the click until the other page was painted */
async function turn(page: Page, link: string): Promise<number> {
  const ms = await page.evaluate(async (selector) => {
    const image = document.querySelector<HTMLImageElement>('.frame .picture img');
    const begin = performance.now();
    document.querySelector<HTMLElement>(selector)?.click();
    while (image?.classList.contains('turning') === true) {
      await new Promise(requestAnimationFrame);
    }
    await image?.decode();
    // The first frame draws the picture, the second one begins when it is on the screen.
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - begin;
  }, link);
  // A reader looks at a page before the next one.
  await new Promise((resolve) => setTimeout(resolve, 300));
  return ms;
}
