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
import { buildBundle } from './build-bundle.js';
import { takeListingPictures } from './listing-pictures.js';
import { takePanelPictures } from './panel-pictures.js';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');
const LISTING = join(import.meta.dirname, '..', 'listing');

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

/** The photos that the other pictures have uploaded, as the demo user sees them in a browser. */
async function takeGalleryPicture(): Promise<void> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  await page.goto(`${service.baseUrl}/photos`);
  await page.type('#username', service.demo.username);
  await page.type('#password', service.demo.password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await page.waitForFunction(
    () =>
      document.images.length > 4 && Array.from(document.images).every((image) => image.complete),
  );
  await page.screenshot({ path: join(IMAGES, 'gallery.png') });
  await page.close();
}
