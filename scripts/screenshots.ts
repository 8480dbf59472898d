/**
 * `npm run screenshots`: takes the pictures in docs/images and in listing/ from the real bundle, in the preview, with
 * a separate service. They are never drawn, so they cannot show what does not exist. `-- --listing` takes only those
 * of the listing.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { startPreview } from '../preview/server.js';
import { startService } from '../service/start.js';
import { launchBrowser } from '../test/e2e/browser.js';
import { awaitText, clickButton } from '../test/e2e/click.js';
import { makePhotos } from '../test/e2e/photos.js';
import { buildBundle } from './build-bundle.js';
import { takeListingPictures } from './listing-pictures.js';
import { takePanelPictures } from './panel-pictures.js';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');
const LISTING = join(import.meta.dirname, '..', 'listing');
/** Width divided by height of the photos in the gallery's picture. */
const SHAPES = [1.5, 0.67, 1.5, 1, 1.78, 0.75, 1.5, 2.4, 0.67, 1.33, 1.5, 0.8, 1.5];

const { values } = parseArgs({ options: { listing: { type: 'boolean', default: false } } });

const folder = await mkdtemp(join(tmpdir(), 'screenshots-'));
const service = await startService({
  // The pictures of the guides show the usual address of the service; those of the listing show none.
  port: values.listing ? 0 : 8780,
  dataDir: join(folder, 'data'),
  lifetimes: { pollIntervalSeconds: 1 },
});
await buildBundle({ serviceBaseUrl: service.baseUrl, outputDir: join(folder, 'dist') });
const preview = await startPreview({ port: 0, distDir: join(folder, 'dist') });
const browser = await launchBrowser({ viewport: { width: 1200, height: 700 } });
try {
  const settings = { browser, previewUrl: preview.url, service, folder };
  if (!values.listing) {
    await mkdir(IMAGES, { recursive: true });
    await takeCodePicture();
    console.log((await takePanelPictures({ ...settings, images: IMAGES })).join('\n'));
  }
  await mkdir(LISTING, { recursive: true });
  console.log((await takeListingPictures({ ...settings, images: LISTING })).join('\n'));
  if (!values.listing) {
    await takeGalleryPicture();
  }
} finally {
  await browser.close();
  await preview.close();
  await service.close();
  await rm(folder, { recursive: true, force: true });
}

/** The whole app with the panel: the picture in the README. */
async function takeCodePicture(): Promise<void> {
  const page = await browser.newPage();
  await page.goto(new URL('?theme=darkest&width=300', preview.url).href);
  const panel = await page.waitForFrame((frame) => frame.url().includes('/panel/'));
  await clickButton(panel, 'Connect');
  await awaitText(panel, 'Your code');
  await page.bringToFront();
  // Without the preview's own toolbar.
  const app = await page.$('#app');
  await app?.screenshot({ path: join(IMAGES, 'panel-code.png') });
  await page.close();
}

/** Photos of different shapes that a user has uploaded in the browser. A separate service shows no notices. */
async function takeGalleryPicture(): Promise<void> {
  const gallery = await startService({ port: 0, dataDir: join(folder, 'gallery') });
  const page = await browser.newPage();
  try {
    await page.setViewport({ width: 1280, height: 720 });
    await page.goto(`${gallery.baseUrl}/photos`);
    await page.type('#username', gallery.demo.username);
    await page.type('#password', gallery.demo.password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const maker = await browser.newPage();
    const plans = SHAPES.map((shape, at) => ({
      name: `Coast ${String(at + 1).padStart(2, '0')}.jpg`,
      size: 400_000,
      shape,
    }));
    const photos = await makePhotos(maker, folder, plans);
    await maker.close();
    const input = await page.waitForSelector('.upload input[type=file]');
    await input?.uploadFile(...photos.map(({ path }) => path));
    await awaitText(page, `Uploaded: ${plans.length} of ${plans.length}`, 60_000);
    await page.bringToFront();
    // Previews are made in the background.
    for (let count = 0; !(await page.evaluate(areShown, plans.length)); count += 1) {
      if (count === 100) {
        throw new Error('the previews were not made');
      }
      await page.reload({ waitUntil: 'networkidle0' });
    }
    await page.screenshot({ path: join(IMAGES, 'gallery.png') });
  } finally {
    await page.close();
    await gallery.close();
  }
}

/** Runs in the page: whether so many photos have their previews. */
function areShown(count: number): boolean {
  const pictures = Array.from(document.querySelectorAll<HTMLImageElement>('.photos img'));
  return pictures.filter(({ srcset, complete }) => srcset !== '' && complete).length === count;
}
