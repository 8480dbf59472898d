import { join } from 'node:path';
import type { Browser, Frame, Page } from 'puppeteer-core';

import { SCREENSHOT } from '../build/listing.js';
import type { RunningService } from '../service/start.js';
import { awaitText, chooseFiles, clickButton } from '../test/e2e/click.js';
import { makePhotos } from '../test/e2e/photos.js';
import { approveDevice } from '../test/service/support/browser-client.js';

/** The parameters of {@link takeListingPictures}. */
export interface ListingPictureSettings {
  readonly browser: Browser;
  /** Address of the preview, ending with a slash. */
  readonly previewUrl: string;
  readonly service: RunningService;
  /** Existing folder for photos that are made to be uploaded. */
  readonly folder: string;
  /** Existing folder for the pictures. */
  readonly images: string;
}

const PHOTOS = [
  'Harbour at dawn.jpg',
  'Lake at dusk.jpg',
  'Market street.jpg',
  'Old bridge.jpg',
  'Winter forest.jpg',
].map((name, index) => ({ name, size: 3_400_000 + ((index * 7) % 5) * 1_150_000 }));

/**
 * Takes the pictures for the marketplace's listing: the panel beside a document, in the simulated app, which looks like
 * no real brand. No picture shows an address of this machine.
 * @returns the names of the pictures
 */
export async function takeListingPictures(
  settings: ListingPictureSettings,
): Promise<readonly string[]> {
  const context = await settings.browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const taken: string[] = [];
    const take = async (name: string): Promise<void> => {
      await picture(page, join(settings.images, `${name}.png`));
      taken.push(name);
    };

    const panel = await open(page, settings.previewUrl);
    const code = await userCode(panel);
    await approveDevice(settings.service.baseUrl, code, settings.service.demo);
    await awaitText(panel, 'You are connected');
    await page.emulateNetworkConditions({ upload: 1_500_000, download: -1, latency: 0 });
    await addPhotos(settings, page, panel);
    await awaitText(panel, '2 of 5 uploaded', 60_000);
    await take('screenshot-1');
    await page.emulateNetworkConditions(null);
    await awaitText(panel, '5 files uploaded', 60_000);
    await page.select('#theme', 'lightest');
    await take('screenshot-2');

    // Connecting, as a scripted state of the same panel, because that shows a realistic address of the service.
    await page.goto(`${settings.previewUrl}?theme=darkest&width=300&state=code`);
    await awaitText(await page.waitForFrame((frame) => frame.url().includes('/states?')), 'Allow');
    await take('screenshot-3');

    return taken;
  } finally {
    await context.close();
  }
}

async function open(page: Page, previewUrl: string): Promise<Frame> {
  await page.setViewport(SCREENSHOT);
  await page.goto(`${previewUrl}?theme=darkest&width=300`);
  return page.waitForFrame((frame) => frame.url().includes('/panel/'));
}

async function userCode(panel: Frame): Promise<string> {
  await clickButton(panel, 'Connect');
  await awaitText(panel, 'Your code');
  return panel.$eval('#user-code', (element) => element.textContent);
}

async function addPhotos(
  { browser, folder }: ListingPictureSettings,
  page: Page,
  panel: Frame,
): Promise<void> {
  const maker = await browser.newPage();
  const photos = await makePhotos(maker, folder, PHOTOS);
  await maker.close();
  await page.bringToFront();
  const paths = photos.map(({ path }) => path);
  await chooseFiles(page, paths, () => clickButton(panel, 'Add photos'));
}

/** Takes a picture of only the app, without the preview's toolbar, in the size that the listing needs. */
async function picture(page: Page, path: string): Promise<void> {
  await page.bringToFront();
  await page.mouse.move(0, 0); // otherwise a button may be drawn as hovered
  const top = await page.$eval('#app', (app) => app.getBoundingClientRect().top);
  await page.setViewport({ width: SCREENSHOT.width, height: SCREENSHOT.height + top });
  const app = await page.$('#app');
  await app?.screenshot({ path });
}
