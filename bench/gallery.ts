import { link, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';

import type { Database } from '../service/kernel/database/database.js';
import { openPostgresDatabase } from '../service/kernel/database/postgres.js';
import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  send,
  type TestUser,
} from '../test/service/support/users.js';
import { launchBrowser } from '../test/e2e/browser.js';
import type { BenchOptions } from './options.js';
import type { MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease } from './release.js';
import { report, versionOf } from './report.js';
import { median, quantile } from './statistics.js';

/** How many different pictures there are, and how many photos the long list has. */
const PICTURES = 24;
const LONG = 10_000;

/** How far a frame scrolls, in windows: as a bar is pulled, and as a finger moves. */
const FAST = 1 / 4;
const SLOW = 1 / 20;

/** Phones have more pixels than they say. */
const SCREENS = [
  { name: '375 px, 2 pixels each', width: 375, height: 812, deviceScaleFactor: 2, isMobile: true },
  { name: '1280 px', width: 1280, height: 800, deviceScaleFactor: 1, isMobile: false },
] as const;

type Screen = (typeof SCREENS)[number];

/** What opening a list costs. */
interface Opened {
  readonly firstPictureMs: number;
  readonly shift: number;
  readonly markupBytes: number;
  readonly pictures: number;
  readonly pictureBytes: number;
}

/** The frames of a scroll from the top of a list to its end. */
interface Scrolled {
  readonly frames: readonly number[];
  readonly photos: number;
  readonly shift: number;
  readonly heapBytes: number;
  /** Of the page, and of what the browser has not collected yet. */
  readonly nodes: number;
}

/** What a reader of the gallery sees: the first picture, what moves, the bytes of a screen, and frames of a long scroll. */
export async function gallery(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const count = options.scale === 'small' ? 500 : LONG;
  const programs = await findPostgres();
  if (programs === undefined) {
    throw new Error('PostgreSQL is not installed');
  }
  const postgres = await startPostgres(programs);
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-gallery-'));
  const browser = await launchBrowser();
  const databaseUrl = await makeDatabaseUrl(postgres.url);
  const running = await startRelease(buildRelease(), { dataDir, databaseUrl });
  const database = await openPostgresDatabase(databaseUrl, () => undefined);
  const service: Service = { baseUrl: running.ownUrl, database };
  try {
    const few = await studio(service);
    await sendPictures(service, few.owner);
    const many = await studio(service);
    const some = await studio(service);
    const folder = join(dataDir, 'uploads');
    await addLongList(service, many, { count, folder, prefix: 'many-' });
    await addLongList(service, some, { count: count / 10, folder, prefix: 'some-' });
    const opened = SCREENS.map((): Opened[] => []);
    for (let round = 0; round < options.rounds * 2 - 1; round += 1) {
      for (const [index, screen] of SCREENS.entries()) {
        opened[index]?.push(await open(browser, service, few.owner, screen));
      }
    }
    const scrolled: [name: string, found: Scrolled][] = [];
    for (const screen of SCREENS) {
      const page = await signedIn(browser, service, many.owner, screen);
      scrolled.push([`${screen.name}, loading`, await scroll(page, count, FAST)]);
      scrolled.push([`${screen.name}, loaded`, await scroll(page, count, FAST)]);
      await page.browserContext().close();
      const slow = await signedIn(browser, service, some.owner, screen);
      scrolled.push([`${screen.name}, loading, slow`, await scroll(slow, count / 10, SLOW)]);
      await slow.browserContext().close();
    }
    tell({ opened, scrolled, count, processes: [running.measured] }, startedAt);
  } finally {
    await browser.close();
    await database.close();
    await running.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The running service, and its database to add what a list shows. */
interface Service {
  readonly baseUrl: string;
  readonly database: Database;
}

interface Studio {
  readonly id: string;
  readonly owner: TestUser;
}

async function studio(service: Service): Promise<Studio> {
  const id = await addWorkspace(service, 'North Studio');
  return { id, owner: await addUser(service, { [id]: 'owner' }) };
}

/** Uploads pictures as the plugin does, and waits until the service has made their thumbnails and previews. */
async function sendPictures(service: Service, owner: TestUser): Promise<void> {
  const token = await connectAs(service, owner);
  for (let index = 0; index < PICTURES; index += 1) {
    await send(service, token, `DSC_${1000 + index}.jpg`, await scene(index));
  }
  for (;;) {
    const waiting = await service.database.query(
      `SELECT 1 FROM thumbnails WHERE state = 'none' LIMIT 1`,
    );
    if (waiting.length === 0) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A landscape with hills and grain, of one of four shapes. */
async function scene(index: number): Promise<Uint8Array<ArrayBuffer>> {
  const shapes = [
    [1800, 1200],
    [1200, 1800],
    [1800, 1012],
    [1500, 1500],
  ] as const;
  const [width, height] = shapes[index % shapes.length] ?? shapes[0];
  const hue = (index * 47) % 360;
  const hills = [0.5, 0.62, 0.78].map((top, hill) => {
    const y = (part: number): number => Math.round(height * (top + part * 0.12));
    const bend = 0.3 + ((index * 7 + hill * 13) % 10) / 25;
    return `<path fill="hsl(${(hue + 90 + hill * 25) % 360} 38% ${46 - hill * 13}%)" d="M0 ${y(1)} Q ${width * bend} ${y(-1)} ${width * 0.7} ${y(0.6)} T ${width} ${y(0)} V ${height} H 0 Z"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 38%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360} 75% 82%)"/></linearGradient>
      <filter id="grain"><feTurbulence baseFrequency="0.06" numOctaves="2" seed="${index}"/><feColorMatrix values="0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0.9 -0.25"/></filter>
    </defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${width * (0.2 + (index % 5) * 0.14)}" cy="${height * 0.28}" r="${height * 0.07}" fill="hsl(45 95% 88%)"/>
    ${hills.join('')}
    <rect width="100%" height="100%" filter="url(#grain)" opacity="0.45"/>
  </svg>`;
  const taken = new Date(Date.UTC(2026, 4, 1 + index)).toISOString();
  const jpeg = sharp(Buffer.from(svg)).withExif({
    IFD2: { DateTimeOriginal: taken.slice(0, 19).replaceAll('-', ':').replace('T', ' ') },
  });
  return new Uint8Array(await jpeg.jpeg({ quality: 88 }).toBuffer());
}

/** Photos with the thumbnails of the uploaded pictures. They have no previews. */
async function addLongList(
  { database }: Service,
  { id, owner }: Studio,
  list: { readonly count: number; readonly folder: string; readonly prefix: string },
): Promise<void> {
  const { count, folder, prefix } = list;
  const made = `SELECT (row_number() OVER (ORDER BY name))::integer - 1 AS number, uploads.*, picture_bytes
    FROM uploads JOIN thumbnails ON upload_id = uploads.id`;
  const originals = await database.query<{ id: string }>(
    `SELECT id FROM (${made}) AS made ORDER BY number`,
  );
  await database.transaction(
    async (transaction) => {
      await transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256,
                              width, height, taken_at, search_text)
         SELECT '${prefix}' || n, $1, $2, made.size, 'IMG_' || lpad(n::text, 5, '0') || '.jpg', 'image/jpeg', '{}', now(), now(),
                made.sha256, made.width, made.height, timestamptz '2026-06-01' - n * interval '97 minutes', 'img_' || n
           FROM generate_series(1, ${count}) AS n JOIN (${made}) AS made ON number = n % ${PICTURES}`,
        [owner.accountId, id],
      );
      await transaction.query(
        `UPDATE thumbnails SET state = 'made', attempts = 1, lease_until = NULL, picture_bytes = made.picture_bytes
           FROM generate_series(1, ${count}) AS n JOIN (${made}) AS made ON number = n % ${PICTURES}
          WHERE upload_id = '${prefix}' || n`,
      );
    },
    { noTimeout: true },
  );
  for (let n = 1; n <= count; n += 1) {
    const original = join(folder, `${originals[n % PICTURES]?.id ?? ''}.thumbnail`);
    await link(original, join(folder, `${prefix}${n}.thumbnail`));
  }
  await database.query('ANALYZE uploads, thumbnails, photo_counts');
}

/** The list of a user who has just signed in, in a browser that has nothing of it. */
async function signedIn(
  browser: Browser,
  service: Service,
  { username, password }: TestUser,
  { width, height, deviceScaleFactor, isMobile }: Screen,
): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  // The compiler of this program keeps the names of functions by it.
  await page.evaluateOnNewDocument('globalThis.__name = (one) => one');
  await page.setViewport({ width, height, deviceScaleFactor, isMobile, hasTouch: isMobile });
  await page.goto(`${service.baseUrl}/photos`);
  await page.type('input[name="username"]', username);
  await page.type('input[name="password"]', password);
  await Promise.all([
    page.waitForNavigation({ waitUntil: 'networkidle0' }),
    page.keyboard.press('Enter'),
  ]);
  return page;
}

/** Opens the list again, without a cache, and waits until no picture of the first screen is missing. */
async function open(
  browser: Browser,
  service: Service,
  user: TestUser,
  screen: Screen,
): Promise<Opened> {
  const page = await signedIn(browser, service, user, screen);
  await page.setCacheEnabled(false);
  await page.evaluateOnNewDocument(watchShifts);
  await page.goto(`${service.baseUrl}/photos`, { waitUntil: 'networkidle0' });
  const found = await page.evaluate(() => {
    const { shift = '0' } = document.documentElement.dataset;
    const shown = [...document.querySelectorAll<HTMLImageElement>('.photos img')].filter(
      (image) => image.getBoundingClientRect().top < innerHeight,
    );
    const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const sizes = new Map(loaded.map(({ name, transferSize }) => [name, transferSize]));
    const addresses = new Set(shown.map(({ currentSrc }) => currentSrc));
    const arrivals = loaded.filter(({ name }) => addresses.has(name));
    const [document_] = performance.getEntriesByType('navigation') as PerformanceResourceTiming[];
    const pictureBytes = shown.reduce(
      (sum, { currentSrc }) => sum + (sizes.get(currentSrc) ?? 0),
      0,
    );
    const others = [...sizes].filter(([name]) => !/\/(?:thumbnail|preview)/.test(name));
    return {
      firstPictureMs: Math.min(...arrivals.map(({ responseEnd }) => responseEnd)),
      shift: Number(shift),
      markupBytes: others.reduce((sum, [, size]) => sum + size, document_?.transferSize ?? 0),
      pictures: shown.length,
      pictureBytes,
    };
  });
  await page.browserContext().close();
  return found;
}

/** Adds up what moves without the reader, in `data-shift` of the page. */
function watchShifts(): void {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
      sum += entry.value;
      document.documentElement.dataset['shift'] = String(sum);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Scrolls from the top to the last photo. @param windows how many with each frame */
async function scroll(page: Page, count: number, windows: number): Promise<Scrolled> {
  await page.evaluate(() => {
    scrollTo({ top: 0, behavior: 'instant' });
  });
  await page.evaluate(watchShifts);
  const frames = await page.evaluate(
    (share) =>
      new Promise<number[]>((resolve) => {
        // Counting the photos with each frame would itself be slow.
        const list = document.querySelector<HTMLElement>('ul.photos');
        const times: number[] = [];
        let last = performance.now();
        const step = (now: number): void => {
          times.push(now - last);
          last = now;
          const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
          if (isAtEnd && list?.dataset['next'] === undefined) {
            resolve(times.slice(1));
            return;
          }
          scrollBy({ top: innerHeight * share, behavior: 'instant' });
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    windows,
  );
  const { JSHeapUsedSize: heapBytes = Number.NaN, Nodes: nodes = Number.NaN } =
    await page.metrics();
  const rest = await page.evaluate(() => ({
    photos: document.querySelectorAll('.photos li[data-id]').length,
    shift: Number(document.documentElement.dataset['shift'] ?? 0),
  }));
  if (rest.photos !== count) {
    throw new Error(`The list has ${rest.photos} photos instead of ${count}.`);
  }
  return { frames, ...rest, heapBytes, nodes };
}

function tell(
  {
    opened,
    scrolled,
    count,
    processes,
  }: {
    readonly opened: readonly (readonly Opened[])[];
    readonly scrolled: readonly (readonly [name: string, found: Scrolled])[];
    readonly count: number;
    readonly processes: readonly MeasuredProcess[];
  },
  startedAt: Date,
): void {
  const middle = (found: readonly Opened[], key: keyof Opened): number =>
    median(found.map((one) => one[key]));
  const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(0);
  report(
    {
      part: 'gallery',
      tables: [
        {
          title: 'The first screen of Photos, without a cache',
          columns: [
            'Window',
            'First picture arrived, ms',
            'Layout shift',
            'Pictures',
            'Pictures, kB',
            'The rest, kB',
          ],
          rows: SCREENS.map(({ name }, index) => {
            const found = opened[index] ?? [];
            return [
              name,
              middle(found, 'firstPictureMs').toFixed(0),
              Math.max(...found.map(({ shift }) => shift)).toFixed(3),
              middle(found, 'pictures').toFixed(0),
              kilobytes(middle(found, 'pictureBytes')),
              kilobytes(middle(found, 'markupBytes')),
            ];
          }),
        },
        {
          title: `Scrolling through ${count} photos, ms per frame`,
          columns: [
            'Window',
            'Frames',
            'p50',
            'p95',
            'Longest',
            'Over 50 ms',
            'Shift',
            'Heap, MB',
            'Nodes',
          ],
          rows: scrolled.map(([name, { frames, shift, heapBytes, nodes }]) => [
            name,
            String(frames.length),
            median(frames).toFixed(1),
            quantile(frames, 0.95).toFixed(1),
            Math.max(...frames).toFixed(0),
            String(frames.filter((ms) => ms > 50).length),
            shift.toFixed(3),
            (heapBytes / 1e6).toFixed(0),
            String(nodes),
          ]),
        },
      ],
      processes,
      measurements: {
        opened,
        // Thousands of frames are as long as the screen takes. The others say more.
        scrolled: scrolled.map(([name, { frames, ...rest }]) => [
          name,
          { ...rest, frames: frames.length, longFrames: frames.filter((ms) => ms > 50) },
        ]),
      },
      notes: [
        `${PICTURES} drawn pictures, uploaded; the long list has their thumbnails.`,
        'Each frame scrolls a quarter of a window, or a twentieth where it is slow: a tenth of the list. Service and client share the machine; Chromium draws without a graphics processor.',
      ],
      versions: { Chromium: versionOf('@sparticuz/chromium') },
    },
    startedAt,
  );
}
